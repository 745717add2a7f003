import type { Tenant } from '../database/session/tenants.js';

/** Who is calling, as admission has found: a project, with the database as far as it is the project's. */
export interface Caller extends Tenant {
  keyId: string;
  isTest: boolean;
  /** The model that answers the project's searches. */
  modelId: number | null;
  /** The version of the index: an answer is as new as this at least. */
  indexVersion: number;
}
