/**
 * A PostgreSQL server in a container, by testcontainers, where a Docker Engine answers. Prints its url, and removes it
 * when SIGTERM comes:
 *
 *   node .build/scripts/postgres/container.js
 */
import { startContainer, stopContainer } from '../../test/support/database.js';

// The container that would remove others after a kill is an image more, which a machine without a registry lacks.
process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
// A listener for a signal does not keep a process alive.
const alive = setInterval(() => undefined, 60_000);
await startContainer();
console.log(process.env['TEST_DATABASE_URL']);
// Not `once`: a library of testcontainers ends a process whose only listener is its own.
process.on('SIGTERM', () => {
  clearInterval(alive);
  void stopContainer();
});
