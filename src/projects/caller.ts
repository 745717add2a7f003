import type { Tenant } from '../platform/database/session/tenants.js';

/** The project whose key the request carries, as admission found it. */
export interface Caller extends Tenant {
  keyId: string;
  isTest: boolean;
  /** The model that answers the project's searches. */
  modelId: number | null;
  /** The version of the project's index. No answer may be older. */
  indexVersion: number;
}
