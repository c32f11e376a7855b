#include "oracle/evidence/html_style.h"

namespace plumbline {

// Text has a contrast of 4.5 or more on its ground, in both schemes.
const char* const kHtmlStyle = R"(
:root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--soft:#57606a;--line:#d0d7de;--card:#f6f8fa;--bar:#0969da;
--good:#116329;--bad:#b31d28;--warn:#7d4e00;--goodbg:#dafbe1;--bestbg:#aceebb;--badbg:#ffebe9;--warnbg:#fff8c5;
--floor:#6e7781;--c0:#0969da;--c1:#bc4c00;--c2:#1a7f37;--c3:#8250df}
@media(prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--soft:#9198a1;--line:#3d444d;--card:#151b23;
--bar:#4493f8;--good:#7ee787;--bad:#ff8e86;--warn:#e3b341;--goodbg:#12261e;--bestbg:#1a4a2b;--badbg:#3c1618;
--warnbg:#272115;--floor:#8b949e;--c0:#4493f8;--c1:#db6d28;--c2:#3fb950;--c3:#ab7df8}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0 auto;padding:1rem;max-width:76rem;background:var(--bg);color:var(--fg);font:1rem/1.5 system-ui,sans-serif;
overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
h1{font-size:1rem;letter-spacing:.06em;text-transform:uppercase;color:var(--soft);margin:0 0 .5rem}
h2{font-size:1.25rem;margin:2.5rem 0 0;padding-top:.75rem;border-top:1px solid var(--line)}
h3{font-size:1rem;margin:1.25rem 0 .5rem}
p,ul{margin:.25rem 0 .75rem}ul{padding-left:1.25rem}.soft{color:var(--soft)}
a{color:var(--bar)}:focus-visible{outline:3px solid var(--bar);outline-offset:2px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--bg);padding:.5rem;z-index:3}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem .5rem;list-style:none;padding:0}
nav a{display:block;padding:.3rem .7rem;border:1px solid var(--line);border-radius:2rem;text-decoration:none;
font-size:.875rem}nav a:hover{background:var(--card)}
.verdict{border-left:.5rem solid var(--bad);background:var(--badbg);border-radius:.35rem;padding:.9rem 1rem;
font-size:1.2rem;font-weight:650;margin:0 0 .75rem}.verdict.pass{border-color:var(--good);background:var(--goodbg)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.5rem;list-style:none;padding:0}
.tiles li{border:1px solid var(--line);border-radius:.35rem;padding:.4rem .7rem;font-size:.8rem;color:var(--soft)}
.tiles b{display:block;font-size:1.35rem;line-height:1.2;color:var(--fg)}.tiles .bad b{color:var(--bad)}
.tiles .good b{color:var(--good)}
.runs{list-style:none;padding:0;font-size:.9rem}
.scroll{overflow-x:auto;max-width:100%;margin:.5rem 0}
table{border-collapse:separate;border-spacing:0;font-size:.85rem}
th,td{border-bottom:1px solid var(--line);padding:.3rem .6rem;text-align:left;white-space:nowrap}
thead th,thead td{background:var(--card);font-weight:600}
tbody th,thead th:first-child{position:sticky;left:0;background:var(--bg);font-weight:400;z-index:1}
thead th:first-child{background:var(--card)}
.matrix td,.matrix thead th:not(:first-child){text-align:center;min-width:5.4rem}
td.measured{background:var(--bestbg);color:var(--good);font-weight:650}
td.executed{background:var(--goodbg);color:var(--good);font-weight:600}
td.static{background:var(--warnbg);color:var(--warn)}td.source{color:var(--soft)}
td.bad{background:var(--badbg);color:var(--bad);font-weight:700}
.bars{margin:.5rem 0;display:grid;gap:.5rem}.bars dd{margin:0}
.bars dt{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem;font-size:.875rem}.bars b{font-weight:600}
@media(min-width:48rem){.bars>div{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:0 1.25rem;
align-items:center}}
.track{display:block;position:relative;height:.8rem;background:var(--card);border-radius:.2rem}
.fill{position:absolute;top:0;bottom:0;left:0;background:var(--bar);border-radius:.2rem}
.fill.bad{background:var(--bad)}.fill.floor{background:var(--floor)}
.mark{position:absolute;top:-.15rem;bottom:-.15rem;width:0;border-left:2px dashed var(--floor)}
.span{position:absolute;top:.3rem;height:.2rem;background:var(--bar);opacity:.6}
.dot{position:absolute;top:.05rem;width:.7rem;height:.7rem;margin-left:-.35rem;border-radius:50%;background:var(--bar)}
.dot.low{background:var(--bg);border:2px solid var(--bar)}
.cols{display:flex;gap:.25rem;align-items:flex-end;list-style:none;padding:0;margin:.5rem 0;width:max-content;
min-width:min(100%,28rem)}
.cols li{flex:1 0 auto;min-width:3.6rem;max-width:7rem;display:flex;flex-direction:column;align-items:center;font-size:.75rem;
text-align:center;white-space:nowrap}
.cols .shaft{display:flex;flex-direction:column;justify-content:flex-end;width:100%;height:7.5rem;border-bottom:1px solid var(--line)}
.cols .col{width:100%;background:var(--bar);border-radius:.2rem .2rem 0 0}.cols .bad{background:var(--bad)}
.cols b{font-weight:600}.cols small{color:var(--soft);font-size:.7rem}
.plot{display:grid;grid-template-columns:auto minmax(0,1fr);gap:0 .5rem;font-size:.75rem;color:var(--soft)}
.plot .y{display:flex;flex-direction:column;justify-content:space-between;text-align:right}
.plot .x{grid-column:2;display:flex;justify-content:space-between}
svg{display:block;width:100%;height:14rem;background:var(--card)}
polyline{fill:none;stroke:currentColor;stroke-width:2.5;vector-effect:non-scaling-stroke}
.grid{stroke:var(--line);stroke-width:1;vector-effect:non-scaling-stroke}
.s0{color:var(--c0)}.s1{color:var(--c1);stroke-dasharray:7 4}.s2{color:var(--c2);stroke-dasharray:2 4}
.s3{color:var(--c3);stroke-dasharray:10 3 2 3}
.key{display:flex;flex-wrap:wrap;gap:.1rem 1rem;font-size:.85rem;padding:0;list-style:none;margin:.5rem 0}
summary{cursor:pointer;padding:.4rem .2rem;font-weight:600}details{border-bottom:1px solid var(--line)}
details[open]{padding-bottom:.5rem}
@media print{.scroll{overflow:visible}details{break-inside:avoid}}
)";

}  // namespace plumbline
