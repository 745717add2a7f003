/** Projects by their ids, both ends included. Ids are random, so equal ranges have about as many projects. */
export interface ProjectRange {
  from: string;
  to: string;
}

/** What one run looks through. With fewer, it looks through all of them. */
const MAX_PROJECTS = 10_000;
const MAX_PAGES = 1_000_000;
/** Ids are cut by their first 32 bits. */
const IDS = 2 ** 32;

/** The slice of a run, so that each project has its turn once in as many runs as there are slices. `run`: 0, 1, 2, … */
export function rangeOf({ projects, pages }: { projects: number; pages: number }, run: number): ProjectRange {
  const slices = Math.max(1, Math.ceil(projects / MAX_PROJECTS), Math.ceil(pages / MAX_PAGES));
  const at = run % slices;
  const bits = (n: number): string => n.toString(16).padStart(8, '0');
  return {
    from: `${bits(Math.ceil((at * IDS) / slices))}-0000-0000-0000-000000000000`,
    to: `${bits(Math.ceil(((at + 1) * IDS) / slices) - 1)}-ffff-ffff-ffff-ffffffffffff`,
  };
}
