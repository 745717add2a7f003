/** A learned redirect of a dead path itself, or a page that a section redirect leads to. */
export interface LearnedRedirect {
  page_id: string;
  kind: 'click' | 'content' | 'similar' | 'former' | 'section';
  /** The old path's key in hexadecimal; '' for a section redirect. */
  key: string;
  /** The number of clicks; 0 for all kinds but `click`. */
  clicks: number;
  /** The section redirect, with the plain path that it leads to as `path`; null for all other kinds. */
  section: {
    oldPrefix: string;
    newPrefix: string;
    confidence: number;
    byClicks: boolean;
    whole: number;
    path: string;
  } | null;
}
