// check.mjs MANIFEST EVDIR SITES...: measures a manifest on evidence. Run in a clone with dist.
import { readFileSync, existsSync } from 'node:fs';
import { rankValue, movesValue, scoreByChoice, scoreQuestion } from './dist/search/ranking/scores/score.js';
import { compareCandidates } from './dist/search/ranking/evidence/far-evidence.js';
const [manifest, dir, ...sites] = process.argv.slice(2);
const cal = JSON.parse(readFileSync(manifest, 'utf8')).calibration;
const rows = {};
const add = (kind, site, x) => (((rows[kind] ??= {})[site] ??= []).push(x));
for (const s of sites) {
  if (!existsSync(`${dir}/${s}.ok`)) { console.log('missing', s); continue; }
  for (const l of readFileSync(`${dir}/${s}.jsonl`, 'utf8').trim().split('\n')) {
    const j = JSON.parse(l);
    if (j.suggest) {
      const e = j.suggest;
      compareCandidates(e.candidates.map((c) => c.evidence));
      const v = e.candidates.map((c) => rankValue(cal.suggest.rank, c.evidence) + movesValue(c.evidence.moved, c.evidence.moved));
      let sc = scoreByChoice(cal.suggest.score, v);
      if (e.looksLikeProbe) sc = sc.map((x) => Math.min(x, 0.5));
      const o = v.map((x, i) => i).sort((a, b) => v[b] - v[a]);
      add(e.kind === 'checkMeant' ? 'CHECK path' : e.kind, s, { one: !!e.candidates[o[0]]?.right, three: o.slice(0, 3).some((i) => e.candidates[i].right), score: sc[o[0]] ?? 0 });
    } else {
      const e = j.content;
      const cur = e.kind === 'path' ? cal.pathAsText : cal.query;
      const v = e.candidates.map((c) => rankValue(cur.rank, c.evidence));
      const o = v.map((x, i) => i).sort((a, b) => v[b] - v[a]);
      const sc = v.length ? scoreQuestion(cur.score, v, e.candidates[o[0]].evidence.dense) : [0];
      add(e.kind === 'checkMeant' ? 'CHECK question' : 'q ' + e.kind, s, { one: !!e.candidates[o[0]]?.right, three: o.slice(0, 3).some((i) => e.candidates[i].right), score: sc[o[0]] ?? 0 });
    }
  }
}
const mean = (a) => a.reduce((x, y) => x + y, 0) / (a.length || 1);
const f = (x) => x.toFixed(3);
for (const [kind, by] of Object.entries(rows)) {
  const lists = Object.values(by);
  const m = (fn) => f(mean(lists.map((l) => mean(l.map(fn)))));
  const all = lists.flat(); const ans = all.filter((x) => x.score >= 0.7); const hi = all.filter((x) => x.score >= 0.9);
  const bin = [0.7, 0.8, 0.9].map((b) => { const q = all.filter((x) => x.score >= b && x.score < (b === 0.9 ? 2 : b + 0.1)); return `${b}: ${q.length} ${mean(q.map((x) => +x.one)).toFixed(2)}/${mean(q.map((x) => +x.three)).toFixed(2)}`; }).join('  ');
  console.log(kind.padEnd(15), `${String(all.length).padStart(5)} in ${lists.length}  ${m((x) => +x.one)}/${m((x) => +x.three)}  at .7 ${m((x) => +(x.score >= 0.7))} right ${mean(ans.map((x) => +x.one)).toFixed(2)}/${mean(ans.map((x) => +x.three)).toFixed(2)}  [${bin}]`);
  if (process.env.SITES && /CHECK|redirect|typo/.test(kind)) console.log('     ', Object.entries(by).map(([s, l]) => `${s} ${f(mean(l.map((x) => +x.one)))}/${f(mean(l.map((x) => +x.three)))}`).join('  '));
}
