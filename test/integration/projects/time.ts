import type { Scope } from '#src/base/glossary.js';
import type { TestProject } from '../../support/service.js';

/** The database's clock rules the buckets, so time passes for a bucket by moving its last look into the past. */
export async function moveTime(project: TestProject, bucket: Scope, seconds: number): Promise<void> {
  await project.query(
    `update pathmend.rate_buckets set updated_at = updated_at - make_interval(secs => $3) where project_id = $1 and bucket = $2`,
    bucket,
    seconds,
  );
}

/** Leaves a bucket this many tokens in debt, as of now. */
export async function putInDebt(project: TestProject, bucket: Scope, tokens: number): Promise<void> {
  await project.query(
    `update pathmend.rate_buckets set updated_at = clock_timestamp(), tokens = - $3::float8 where project_id = $1 and bucket = $2`,
    bucket,
    tokens,
  );
}
