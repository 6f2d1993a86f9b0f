//! The look. Colours are those of the page around, mixed with two that colour-blind people tell
//! apart, blue and orange, so that a dark screen and a notebook of any theme need no others.

/// What holds for a page, which is nobody else's.
pub(super) const PAGE: &str = "\
:root{color-scheme:light dark}\
body{margin:0;padding:1rem;background:Canvas;color:CanvasText}\
.shardlane{margin:0 auto;font-size:16px}\
@media print{:root{color-scheme:only light}body{padding:0;background:#fff;color:#000}\
.shardlane{max-width:none;font-size:10.5pt}}\
@page{margin:14mm}";

/// What holds within `.shardlane`, wherever that is shown.
pub(super) const SHARED: &str = "\
.shardlane{max-width:68rem;font:14px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif;\
overflow-wrap:anywhere}\
.shardlane h1{font-size:1.6em;line-height:1.2;margin:.2em 0 .5em}\
.shardlane h2{font-size:1.15em;line-height:1.3;margin:1.8em 0 .5em}\
.shardlane h3{font-size:1em;margin:1em 0 .2em}\
.shardlane p{margin:.4em 0;max-width:48em}\
.shardlane .item{white-space:nowrap}\
.shardlane .warning{border-left:3px solid #e0661a;padding-left:.7em}\
.shardlane ul{margin:.4em 0;padding-left:1.3em}\
.shardlane .small{font-size:max(14px,.875em);opacity:.85}\
.shardlane .tone{color:#6b7280}.shardlane .tone.over{color:#e0661a}\
.shardlane .tone.fine{color:#3b7dd8}\
.shardlane dl{display:flex;flex-wrap:wrap;gap:.6em 2.4em;margin:1em 0}\
.shardlane dt{font-size:max(14px,.875em);opacity:.85}\
.shardlane dd{margin:0;font-size:1.3em;font-variant-numeric:tabular-nums}\
.shardlane figure{margin:.4em 0}\
.shardlane svg{display:block}.shardlane svg.swatch{display:inline-block;vertical-align:-.05em}\
.shardlane svg.chart{width:100%;height:9em}\
.shardlane svg.heat{width:100%;height:1.15em;min-width:7em}\
.shardlane svg.strip{width:100%;height:1.9em;min-width:8em}\
.shardlane .scroll{overflow-x:auto;margin:.5em 0}\
.shardlane table{border-collapse:collapse;font-size:max(14px,.9em);\
font-variant-numeric:tabular-nums}\
.shardlane th,.shardlane td{padding:.2em .6em;text-align:right;white-space:nowrap;\
font-weight:normal;vertical-align:middle}\
.shardlane thead th{border-bottom:1px solid #8889;vertical-align:bottom;opacity:.85}\
.shardlane tbody tr+tr>*{border-top:1px solid #8882}\
.shardlane .text{text-align:left}\
.shardlane td.key{max-width:22em;overflow:hidden;text-overflow:ellipsis;font-family:\
ui-monospace,monospace}\
.shardlane tr.over .text,.shardlane td.over{font-weight:600}\
.shardlane table.map{width:100%;table-layout:fixed}\
.shardlane table.map th,.shardlane table.map td{padding:0;border:0}\
.shardlane table.map th{width:6.5em;padding-right:.6em;overflow:hidden;text-overflow:ellipsis;\
line-height:1.15}\
.shardlane table.map tr.time td>div{display:flex;justify-content:space-between;gap:1em;\
white-space:normal;padding-top:.2em;text-align:left}\
.shardlane table.map tr.time span+span{text-align:right}\
.shardlane .minute table{width:100%}.shardlane .minute .wide{width:100%;text-align:left}\
.shardlane .names{display:flex;justify-content:space-around}\
.shardlane .names.ends{justify-content:space-between}\
.shardlane .fine{fill:#3b7dd8}.shardlane .over{fill:#e0661a}\
.shardlane .level{stroke:currentColor;stroke-width:1.5;stroke-dasharray:4 3;\
vector-effect:non-scaling-stroke}\
.shardlane .frame{fill:#8881}\
.shardlane .h1{fill:#3b7dd8;fill-opacity:.14}.shardlane .h2{fill:#3b7dd8;fill-opacity:.32}\
.shardlane .h3{fill:#3b7dd8;fill-opacity:.55}.shardlane .h4{fill:#3b7dd8;fill-opacity:.8}\
.shardlane .h5{fill:#2459a8}.shardlane .h6{fill:#f0954a}.shardlane .h7{fill:#c2410c}\
.shardlane .mark{fill:currentColor}\
@media(max-width:30em){.shardlane th,.shardlane td{padding:.2em .35em}}\
@media print{.shardlane svg,.shardlane tr,.shardlane li,.shardlane dl{break-inside:avoid}\
.shardlane h2,.shardlane h3{break-after:avoid}.shardlane thead{display:table-header-group}\
.shardlane .scroll{overflow:visible}.shardlane table{font-size:9pt}\
.shardlane .wide-table table{font-size:7pt}\
.shardlane .scroll th,.shardlane .scroll td{padding:.15em .35em;white-space:normal;\
overflow-wrap:normal}\
.shardlane td.key{max-width:20em;overflow:visible;overflow-wrap:anywhere}\
.shardlane svg.bar{width:60px}\
.shardlane *{print-color-adjust:exact;-webkit-print-color-adjust:exact}}";
