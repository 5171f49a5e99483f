"""How pages look: one sheet for a whole page, in light and dark and on paper, and one for views in notebooks.

Pictures are drawn in the colours of module `svg` for a light ground. In the dark the sheet replaces each of these by its partner, whatever drew it.
"""

from discreet.pages.svg import PALETTE

_TABLES = """
.discreet .wide { overflow-x: auto; margin: 1em 0; }
.discreet table { border-collapse: collapse; font-size: .93em; line-height: 1.4; }
.discreet caption { text-align: left; font-size: .93em; padding: 0 0 .4em; opacity: .75; }
.discreet th, .discreet td { text-align: left; vertical-align: top; padding: .38em 1.1em .38em 0; border: 0; border-bottom: 1px solid
  rgba(128,128,128,.35); background: none; }
.discreet thead th { border-bottom: 2px solid rgba(128,128,128,.7); }
.discreet tbody th { font-weight: 600; }
.discreet .number { text-align: right; font-variant-numeric: tabular-nums; }
.discreet td { overflow-wrap: break-word; }
"""

VIEW_STYLE = (
    _TABLES
    + """
.discreet-view { font-size: 13px; line-height: 1.45; max-width: 62em; }
.discreet-view p { margin: .3em 0; } .discreet-view .name { font-weight: 600; font-size: 1.1em; }
.discreet-view .bad { border-left: 4px solid #c8553d; padding-left: .7em; } .discreet-view .good { border-left: 4px solid #3a7d44;
  padding-left: .7em; }
.discreet-view .note { opacity: .75; } .discreet-view svg { max-width: 100%; height: auto; }
"""
)

_DARK = "\n".join(f'svg [{what}="{light}"] {{ {what}: {dark}; }}' for light, dark in PALETTE.items() for what in ("fill", "stroke")) + "".join(
    f'\nsvg[fill="{light}"] {{ fill: {dark}; }}' for light, dark in PALETTE.items()
)

PAGE_STYLE = (
    """
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1d2129; --soft: #565d69; --tint: #f3f5f8; --link: #24557c; --bad: #b0402a;
  --badground: #fdf1ee;  --good: #2c6e37; --goodground: #eef6ef; --lead: #24557c; --leadground: #eef4f9; }
@media screen and (prefers-color-scheme: dark) { :root { --paper: #15181d; --ink: #e6e8ec; --soft: #a4acb8; --tint: #1f242b; --link: #8cc0ea;
  --bad: #f0907b;
  --badground: #33201c; --good: #8fcf9b; --goodground: #1b2a1f; --lead: #8cc0ea; --leadground: #1b2732; }
"""
    + _DARK
    + """
}
html { -webkit-text-size-adjust: 100%; }
body { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 54em; margin: 0 auto; padding: 1.5em 1.2em 3em; }
h1 { font-size: 1.7em; line-height: 1.2; margin: .4em 0 .7em; overflow-wrap: anywhere; }
h2 { font-size: 1.22em; line-height: 1.3; margin: 2.2em 0 .6em; padding-top: .7em; border-top: 1px solid rgba(128,128,128,.35); }
p, ul { margin: .7em 0; max-width: 46em; overflow-wrap: break-word; } li { margin: .3em 0; } ul { padding-left: 1.3em; }
.lead, .bad, .good { border-left: 5px solid var(--lead); background: var(--leadground); padding: .75em 1em; border-radius: 0 4px 4px 0; }
.lead { font-size: 1.12em; } .bad { border-color: var(--bad); background: var(--badground); } .bad strong { color: var(--bad); }
.good { border-color: var(--good); background: var(--goodground); } .good strong { color: var(--good); }
.note, figcaption, footer { color: var(--soft); font-size: .93em; } footer { margin-top: 3em; overflow-wrap: anywhere; }
nav ol { columns: 2 15em; padding-left: 1.4em; font-size: .93em; } nav a { color: var(--link); }
a:focus-visible, pre:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.beside { display: flex; flex-wrap: wrap; gap: 0 1.5em; } .beside figure { flex: 1 1 300px; max-width: 420px; }
figure { margin: 1.2em 0; } figure svg { max-width: 100%; height: auto; display: block; } figcaption { max-width: 46em; margin-top: .4em; }
pre { background: var(--tint); padding: .8em 1em; overflow-x: auto; font-size: .88em; border-radius: 4px; }
"""
    + _TABLES
    + """
.discreet .facts th { width: 15em; min-width: 9em; }
@media screen and (max-width: 560px) { figure { overflow-x: auto; } figure svg { max-width: none; } .beside svg { max-width: 100%; }
  body { padding: .8em .9em 2em; } h1 { font-size: 1.4em; } .lead { font-size: 1.04em; }
  .discreet .facts, .discreet .facts tbody, .discreet .facts tr, .discreet .facts th, .discreet .facts td, .discreet .facts caption {
    display: block; width: auto; }
  .discreet .facts th { border: 0; padding: .5em 0 0; } .discreet .facts td { padding: .1em 0 .5em; } }
@media print { :root { color-scheme: light; } body { font-size: 10.5pt; max-width: none; padding: 0; } nav { display: none; }
  h2 { break-after: avoid; } figure, tr, .lead, .bad, .good { break-inside: avoid; } .discreet .wide { overflow: visible; } pre {
    white-space: pre-wrap; } }
"""
)
