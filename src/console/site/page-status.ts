import type { PageStatus } from '../../base/glossary.js';
import type { Html } from '../../text/html.js';
import { badge, type Tone } from '../shared/components.js';

const SHOWN: Readonly<Record<PageStatus, [string, Tone]>> = {
  INDEXED: ['Indexed', 'good'],
  PENDING_VECTORIZATION: ['Waiting', 'waiting'],
  PROCESSING: ['In work', 'waiting'],
  ERROR: ['Error', 'bad'],
};

/** What people call a page's status. */
export function statusName(status: PageStatus): string {
  return SHOWN[status][0];
}

export function statusBadge(status: PageStatus): Html {
  return badge(...SHOWN[status]);
}
