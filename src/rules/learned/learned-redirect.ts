/** A learned redirect of a dead path itself, or a page that a section redirect leads to. */
export interface LearnedRedirect {
  page_id: string;
  kind: 'click' | 'content' | 'similar' | 'former' | 'section';
  /** The old path's key in hexadecimal; '' for a section redirect. */
  key: string;
  /** 0 for all other kinds. */
  clicks: number;
  /** Null for all other kinds. `path`: the plain path that the section redirect leads to. */
  section: {
    oldPrefix: string;
    newPrefix: string;
    confidence: number;
    byClicks: boolean;
    whole: number;
    path: string;
  } | null;
}
