/** A range of projects by their ids, both included. Ids are random, so equal ranges have about as many projects. */
export interface ProjectRange {
  from: string;
  to: string;
}

/** The max projects and pages of one run. An instance with fewer has one slice: a run looks through all projects. */
const MAX_PROJECTS = 10_000;
const MAX_PAGES = 1_000_000;
/** Ids are cut by their first 32 bits. */
const IDS = 2 ** 32;

/** Returns the slice of a run (they count from 0). A project has one turn in as many runs as there are slices. */
export function rangeOf({ projects, pages }: { projects: number; pages: number }, run: number): ProjectRange {
  const slices = Math.max(1, Math.ceil(projects / MAX_PROJECTS), Math.ceil(pages / MAX_PAGES));
  const at = run % slices;
  const bits = (n: number): string => n.toString(16).padStart(8, '0');
  return {
    from: `${bits(Math.ceil((at * IDS) / slices))}-0000-0000-0000-000000000000`,
    to: `${bits(Math.ceil(((at + 1) * IDS) / slices) - 1)}-ffff-ffff-ffff-ffffffffffff`,
  };
}
