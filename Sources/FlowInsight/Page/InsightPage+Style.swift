extension InsightPage {
  /// The style sheet of pages. It follows the reader's preference for light or dark colors, and uses light ones in
  /// print.
  package static let style = """
    :root{color-scheme:light dark;--back:#fff;--text:#1a1d21;--soft:#5a6270;--line:#d8dce2;--edge:#868e9a;--card:#f4f6f8;--run:#2f6fd0;\
    --queue:#b36b00;--thread:#7a5cc4;--retry:#a0508f;--minimum:#4f8f6b;--executor:#8a7a3c;--gate:#0b7a5f;--on:#dbe8fb;\
    --good:#0b7a4b;--bad:#b3261e;--warn:#8a5a00;--badback:#fdf1f0;--link:#1f57b3}
    @media (prefers-color-scheme:dark){:root{--back:#14171b;--text:#e7eaee;--soft:#a0a9b5;--line:#343a43;--edge:#7d8794;--card:#1d2127;\
    --run:#6aa5ff;--queue:#e5a33d;--thread:#b39cf0;--retry:#e39ad6;--minimum:#7cc79d;--executor:#d6c36a;--gate:#46d3ab;--on:#20304a;\
    --good:#5bd09a;--bad:#ff8a80;--warn:#e5b35a;--badback:#2a1a1a;--link:#8ab8ff}}
    *{box-sizing:border-box}
    body{margin:0;background:var(--back);color:var(--text);font:15px/1.45 system-ui,sans-serif}
    main{max-width:1240px;margin:0 auto;padding:16px;overflow-wrap:anywhere}
    h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:28px 0 8px}h3{font-size:1rem;margin:0}
    h2.small{font-size:.85rem;margin:10px 0 2px;color:var(--soft);font-weight:400}
    header p,figcaption,caption,.axis,small,.legend{color:var(--soft)}header p{margin:4px 0}
    code,pre{font:.85rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
    a{color:var(--link)}.name a,th a{color:inherit}
    header .state{font-size:1.05rem;font-weight:600}
    .state.success{color:var(--good)}.state.failure{color:var(--bad)}.state.partial,.state.cancelled,.state.interrupted{color:var(--warn)}.state.skipped{color:var(--soft)}.state.running{color:var(--run)}
    .panel{border:1px solid var(--line);border-left:4px solid var(--bad);border-radius:6px;background:var(--badback);padding:10px 14px;margin:0 0 12px}
    .panel.excused{border-left-color:var(--warn);background:var(--card)}
    .panel p{margin:6px 0}.panel small{font-size:.85rem;font-weight:400}.panel .message{font-weight:600;white-space:pre-wrap}.panel code{color:var(--soft);font-weight:400}
    .panel pre{margin:8px 0;padding:8px 10px;max-height:32em;overflow:auto;background:var(--back);border:1px solid var(--line);border-radius:4px;white-space:pre-wrap}
    li,.text{white-space:pre-wrap}
    .c0,.c7{color:var(--soft)}.c1{color:var(--bad)}.c2{color:var(--good)}.c3{color:var(--warn)}.c4{color:var(--link)}.c5{color:var(--retry)}.c6{color:var(--gate)}.strong{font-weight:700}
    figure{margin:0 0 20px}figcaption,caption{text-align:left;padding:4px 0}
    .figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(140px,1fr));gap:8px;margin:16px 0}
    .figures div{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:8px 12px}
    .facts{margin:0}.facts div{display:flex;flex-wrap:wrap;gap:0 10px}.facts dd:has(pre){flex:1 1 100%}.facts dt{min-width:8em}.facts dd{font-size:.95rem;white-space:pre-wrap;tab-size:8;min-width:0}
    dt{color:var(--soft);font-size:.85rem}dd{margin:0;font-size:1.15rem;font-variant-numeric:tabular-nums}
    pre.text{margin:0;padding:6px 10px;max-height:24em;overflow:auto;white-space:pre-wrap;tab-size:8;background:var(--card);border:1px solid var(--line);border-radius:4px}
    .scroll{overflow-x:auto;position:relative}.scroll.tall{max-height:70vh;overflow-y:auto}
    .tall thead th{position:sticky;top:0;background:var(--back);z-index:1}
    :focus-visible{outline:2px solid var(--run);outline-offset:2px}
    table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
    th,td{padding:5px 10px;border-bottom:1px solid var(--line);text-align:left;white-space:nowrap;font-weight:400;overflow:hidden;text-overflow:ellipsis}
    tr.gap td{padding:0;border:0}
    thead th{color:var(--soft)}.n{text-align:right}
    th button{font:inherit;color:inherit;background:none;border:0;padding:2px;cursor:pointer}
    th[aria-sort] button::after{content:" ▾"}th[aria-sort=ascending] button::after{content:" ▴"}
    .zoom{width:calc(100% * var(--zoom,1));min-width:100%}
    .row{display:grid;grid-template-columns:minmax(110px,210px) 1fr;align-items:center;height:22px}
    .row.on{background:var(--on)}.row.aim{outline:2px solid var(--bad);outline-offset:-2px}
    .name{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;padding:0 8px 0 4px;font-size:.85rem;position:sticky;left:0;z-index:1}
    .row.on .name{font-weight:600}.row.bad .name{color:var(--bad);font-weight:600}.row.off .name,.why{color:var(--soft)}
    .why{font-size:.78rem;line-height:16px;display:block;white-space:nowrap;padding-left:2px}
    .track{position:relative;height:16px;display:block;margin-right:4px}
    .track i{position:absolute;top:2px;height:12px;min-width:2px;border-radius:2px}
    .track b{position:absolute;top:-3px;bottom:-3px;width:2px;background:var(--gate)}
    .track u{position:absolute;top:-3px;bottom:-3px;background:repeating-linear-gradient(115deg,transparent 0 4px,var(--line) 4px 6px)}
    .track em{position:absolute;white-space:nowrap;font-style:normal;font-size:.75rem;transform:translateX(-50%)}
    .track em.first{transform:none}.track em.last{transform:translateX(-100%)}em.gate{color:var(--gate);font-weight:600}
    i.run{background:var(--run)}i.queue,i.resources{background:var(--queue)}i.thread{background:var(--thread)}
    i.running{background:repeating-linear-gradient(115deg,var(--run) 0 6px,var(--on) 6px 10px)}i.failed{background:var(--bad)}i.cancelled{background:var(--soft)}\
    i.cut{background:repeating-linear-gradient(115deg,var(--warn) 0 6px,var(--on) 6px 10px);border-right:3px solid var(--warn)}
    i.retry{background:var(--retry);opacity:.6}i.executor{background:var(--executor)}i.commit{background:var(--thread)}\
    i.minimum{background:var(--minimum)}
    .legend{margin:4px 0;font-size:.85rem}.legend span{margin-right:14px;white-space:nowrap;display:inline-block}
    .legend i,.legend b,.legend u{display:inline-block;width:12px;height:12px;border-radius:2px;margin-right:5px;vertical-align:-1px}
    .legend b{width:2px;background:var(--gate)}.legend u{background:repeating-linear-gradient(115deg,transparent 0 2px,var(--soft) 2px 3px)}
    .histogram{display:block;width:100%;height:140px;border-bottom:1px solid var(--line)}.histogram rect{fill:var(--run)}
    line{stroke-width:2;vector-effect:non-scaling-stroke}line.min{stroke:var(--minimum)}line.max{stroke:var(--bad)}
    line.p50{stroke:var(--text)}line.p95{stroke:var(--text);stroke-dasharray:4 3}
    .ticks{display:block;width:100%;height:1.2em;margin:2px 0;overflow:visible}.ticks text{fill:var(--soft);font-size:12px;text-anchor:middle}.ticks text:first-child{text-anchor:start}
    .legend .key{height:3px;border-radius:0;vertical-align:3px}.key.min{background:var(--minimum)}.key.max{background:var(--bad)}.key.p50{background:var(--text)}
    .key.p95{background:repeating-linear-gradient(90deg,var(--text) 0 4px,transparent 4px 6px)}
    .edge{fill:none;stroke:var(--edge);stroke-width:1.2}.edge.on{stroke:var(--run);stroke-width:2}
    .node rect{fill:var(--card);stroke:var(--line)}.node.on rect{fill:var(--on);stroke:var(--run)}
    .node.is-failure rect,.node.is-timed-out rect{fill:var(--badback);stroke:var(--bad)}.node.is-skipped rect,.node.is-cancelled rect{stroke:var(--warn)}.node.is-success rect{stroke:var(--good)}.node.is-running rect{stroke:var(--run);stroke-width:2}.node.is-cut-off rect{stroke:var(--warn);stroke-dasharray:6 3}
    .node.later rect{stroke-dasharray:4 3}.node text{fill:var(--text);font-size:12px}
    .find,.tools{display:flex;flex-wrap:wrap;gap:8px;align-items:center;margin:8px 0}
    .find input,.find select,.tools button{font:inherit;padding:3px 10px;color:inherit;background:var(--card);border:1px solid var(--soft);border-radius:5px;max-width:100%}
    .find select{min-width:0}.find label{display:flex;gap:6px;min-width:0;max-width:100%;align-items:center;color:var(--soft);font-size:.85rem}.find output{color:var(--soft);font-size:.85rem}
    #tip{position:fixed;z-index:9;max-width:320px;background:var(--text);color:var(--back);padding:4px 9px;border-radius:5px;\
    font-size:.85rem;pointer-events:none}
    @media (max-width:520px){main{padding:10px}th,td{padding:5px 6px}.row{grid-template-columns:1fr;height:38px}.row.axis{height:20px}.axis .name{display:none}\
    .name{justify-self:start;max-width:100%}.track em.minor,.ticks text:nth-child(even){display:none}}
    @media print{:root{--back:#fff;--text:#000;--soft:#444;--line:#bbb;--edge:#777;--card:#fff;--run:#2f6fd0;--on:#e8eefb}\
    .scroll,.scroll.tall{overflow:visible;max-height:none}.scroll svg{max-width:100%;height:auto}.zoom{width:100%}.find,.tools,#tip{display:none}figure,tr,.panel{break-inside:avoid}*{print-color-adjust:exact}}
    """
}
