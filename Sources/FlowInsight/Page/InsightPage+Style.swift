extension InsightPage {
  /// How the page looks: by the reader's own choice of light or dark, on paper always light.
  static let style = """
    :root{color-scheme:light dark;--back:#fff;--text:#1a1d21;--soft:#5a6270;--line:#d8dce2;--card:#f4f6f8;--run:#2f6fd0;\
    --queue:#b36b00;--thread:#7a5cc4;--retry:#c23b3b;--floor:#4f8f6b;--executor:#8a7a3c;--gate:#0b7a5f;--on:#dbe8fb}
    @media (prefers-color-scheme:dark){:root{--back:#14171b;--text:#e7eaee;--soft:#a0a9b5;--line:#343a43;--card:#1d2127;\
    --run:#6aa5ff;--queue:#e5a33d;--thread:#b39cf0;--retry:#ff8080;--floor:#7cc79d;--executor:#d6c36a;--gate:#46d3ab;--on:#20304a}}
    *{box-sizing:border-box}
    body{margin:0;background:var(--back);color:var(--text);font:15px/1.45 system-ui,sans-serif}
    main{max-width:1240px;margin:0 auto;padding:16px}
    h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:28px 0 8px}
    header p,figcaption,caption,.axis{color:var(--soft)}
    figure{margin:0 0 20px}figcaption,caption{text-align:left;padding:4px 0}
    .figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(130px,1fr));gap:8px;margin:16px 0}
    .figures div{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:8px 12px}
    dt{color:var(--soft);font-size:.85rem}dd{margin:0;font-size:1.15rem;font-variant-numeric:tabular-nums}
    .scroll{overflow-x:auto;position:relative}.track{margin-right:4px}
    :focus-visible{outline:2px solid var(--run);outline-offset:2px}
    table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
    th,td{padding:5px 10px;border-bottom:1px solid var(--line);text-align:left;white-space:nowrap;font-weight:400}
    thead th{color:var(--soft)}.n{text-align:right}
    th button{font:inherit;color:inherit;background:none;border:0;padding:2px;cursor:pointer}
    th[aria-sort] button::after{content:" ▾"}th[aria-sort=ascending] button::after{content:" ▴"}
    .zoom{width:calc(100% * var(--zoom,1));min-width:100%}
    .row{display:grid;grid-template-columns:minmax(110px,210px) 1fr;align-items:center;min-height:22px}
    .row.on{background:var(--on)}
    .name{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;padding:0 8px 0 4px;font-size:.85rem;position:sticky;left:0}
    .row.on .name{font-weight:600}
    .track{position:relative;height:16px;display:block}
    .track i{position:absolute;top:2px;height:12px;min-width:2px;border-radius:2px}
    .track b{position:absolute;top:-3px;bottom:-3px;width:2px;background:var(--gate)}
    .track em{position:absolute;white-space:nowrap;font-style:normal;font-size:.75rem;transform:translateX(-50%)}
    .track em:first-child{transform:none}.track em:last-child{transform:translateX(-100%)}
    i.run{background:var(--run)}i.queue,i.resources{background:var(--queue)}i.thread{background:var(--thread)}
    i.retry{background:var(--retry)}i.executor{background:var(--executor)}i.commit{background:var(--thread)}\
    i.floor{background:var(--minimum)}
    .legend span{margin-right:14px;white-space:nowrap}
    .legend i,.legend b{display:inline-block;width:12px;height:12px;border-radius:2px;margin-right:5px;vertical-align:-1px}
    .legend b{width:2px;background:var(--gate)}
    .histogram{display:block;width:100%;height:140px;border-bottom:1px solid var(--line)}.histogram rect{fill:var(--run)}
    line{stroke-width:2;vector-effect:non-scaling-stroke}line.min{stroke:var(--minimum)}line.max{stroke:var(--retry)}
    .ends{display:flex;justify-content:space-between;margin:2px 0;color:var(--soft);font-size:.8rem}
    .key{display:inline-block;width:12px;height:3px;margin:0 5px 3px 0}.key.min{background:var(--minimum)}.key.max{background:var(--retry)}
    .edge{fill:none;stroke:var(--line);stroke-width:1.2}.edge.on{stroke:var(--run);stroke-width:2}
    .node rect{fill:var(--card);stroke:var(--line)}.node.on rect{fill:var(--on);stroke:var(--run)}
    .node.later rect{stroke-dasharray:4 3}.node text{fill:var(--text);font-size:12px}
    .broken{color:var(--retry);font-weight:600}
    .tools button{font:inherit;padding:3px 10px;margin-right:6px}
    #tip{position:fixed;z-index:9;max-width:320px;background:var(--text);color:var(--back);padding:4px 9px;border-radius:5px;\
    font-size:.85rem;pointer-events:none}
    @media (max-width:520px){main{padding:10px}.row{grid-template-columns:112px 1fr}th,td{padding:5px 6px}}
    @media print{:root{--back:#fff;--text:#000;--soft:#444;--line:#bbb;--card:#fff;--run:#2f6fd0;--on:#e8eefb}\
    .scroll{overflow:visible}.scroll svg{max-width:100%;height:auto}.zoom{width:100%}.tools,#tip{display:none}section,figure,tr{break-inside:avoid}*{print-color-adjust:exact}}
    """
}
