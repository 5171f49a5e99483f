"""What people look at: pages, reports and the workbench."""
