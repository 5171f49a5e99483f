"""The pictures of the page."""

from tools import pictures, screens


def test_every_picture_of_the_workbench_is_taken_by_the_tool_and_stands_on_its_page() -> None:
    page = (pictures.FOLDER.parent / "workbench.md").read_text()
    taken = {f"workbench-{name}.png" for name in screens.SHOWN}
    assert {path.name for path in pictures.FOLDER.glob("*.png")} == taken
    assert all(f"(pictures/{name})" in page for name in taken)
