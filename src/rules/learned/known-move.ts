/** A move of a dead path itself, or a page that a section move leads to. */
export interface KnownMove {
  page_id: string;
  kind: 'click' | 'content' | 'similar' | 'former' | 'section';
  /** The old path's key in hexadecimal; '' for a section move. */
  key: string;
  /** 0 for all other kinds. */
  clicks: number;
  /** Null for all other kinds. `path`: the plain path that the section move leads to. */
  section: {
    oldPrefix: string;
    newPrefix: string;
    confidence: number;
    byClicks: boolean;
    whole: number;
    path: string;
  } | null;
}
