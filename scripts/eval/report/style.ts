/** The whole look of the report: no font, script or picture from elsewhere; light or dark as the reader's system is. */
export const STYLE = `
:root { color-scheme: light dark; --back: #fff; --text: #1c2126; --soft: #59636e; --line: #d4d9df; --own: #0a62c4; --peer: #7b8592; --mark: #b4420f; }
@media (prefers-color-scheme: dark) {
  :root { --back: #14171b; --text: #e7eaee; --soft: #a3adb8; --line: #3a424b; --own: #6db3ff; --peer: #8f99a5; --mark: #ff9a68; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 46rem; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.3rem; margin-top: 2.5rem; } h3 { font-size: 1.1rem; margin-top: 2rem; }
figure { margin: 1rem 0; } figcaption, caption { color: var(--soft); font-size: .9rem; text-align: left; }
svg { display: block; width: 100%; max-width: 38rem; height: auto; } svg text { fill: var(--text); font: 12px system-ui, sans-serif; } svg .small { font-size: 11px; fill: var(--soft); } svg .strong { font-weight: 600; }
rect.own, circle.own { fill: var(--own); } rect.peer { fill: var(--peer); } rect.pale { opacity: .4; }
.grid { stroke: var(--line); } .diagonal { stroke: var(--soft); stroke-dasharray: 3 4; } .interval { stroke: var(--own); stroke-width: 1.5; }
.line { fill: none; stroke: var(--own); stroke-width: 2.5; } .dashed { stroke: var(--peer); stroke-dasharray: 6 4; } .thin { fill: none; stroke: var(--own); stroke-width: 1; } .mark { stroke: var(--mark); stroke-width: 2; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .9rem; min-width: 100%; } th, td { padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; font-variant-numeric: tabular-nums; } tbody th { font-weight: 400; }
.advice { border-left: 4px solid var(--mark); padding: .2rem 0 .2rem 1rem; } summary { cursor: pointer; padding: .4rem 0; } code { font-size: .95em; }
`;
