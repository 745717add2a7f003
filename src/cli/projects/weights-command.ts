import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Db } from '../../platform/database/db.js';
import { readAnsweringModel } from '../../projects/project-model.js';
import { readOwnWeights, type OwnWeightsRow } from '../../search/store/project-weights.js';
import { MIN_REDIRECTS } from '../../search/ranking/scores/calibration.js';
import { onCommandLine } from '../../accounts/actor.js';
import { requestWeights, undoWeights } from '../../search/project-weights/change-weights.js';
import { OperatorError } from '../../base/errors.js';
import { waitUntilVisible } from '../../projects/index-changes.js';
import type { OwnFigures } from '../../search/ranking/fit/cross-validate.js';
import { table, type CommandContext } from '../shared/context.js';
import { projectCommand } from '../shared/project-command.js';

interface WeightsOptions {
  fit?: boolean;
  undo?: boolean;
}

/** A fit takes seconds, and waits for those of other projects. */
const MAX_WAIT_MS = 300_000;

export function addWeightsCommand(project: Command, context: CommandContext): void {
  projectCommand<WeightsOptions>(project, context, 'weights', {
    description: "the weights of evidence for dead paths: the model's, and those fitted on the project's redirects",
    takes: (command) =>
      command
        .option('--fit', 'have a running server fit them now, and wait for it')
        .option('--undo', "use the model's weights from now on, until --fit"),
    run: async ({ db, alone, queue, options, project, projectId, say }) => {
      if (options.fit && options.undo) throw new OperatorError('Give --fit or --undo, not both.');
      if (options.undo) await undoWeights(db, onCommandLine(), project);
      if (options.fit) {
        if (alone) throw new OperatorError('--fit needs a running server: start `serve` first.');
        if ((await readAnsweringModel(db, projectId)) === null)
          throw new OperatorError('The project has no indexed page: there is nothing to fit weights on.');
        await requestWeights(db, onCommandLine(), project);
        const { fitOwnWeights } = await import('../../search/project-weights/fit-weights-job.js');
        await (await queue()).enqueueNow(fitOwnWeights, [{ projectId }]);
        await waitForFit(db, projectId);
      }
      await waitUntilVisible();
      const row = await readOwnWeights(db, projectId);
      const value = describe(row, await readAnsweringModel(db, projectId));
      say(value, () => render(value));
    },
  });
}

async function waitForFit(db: Db, projectId: string): Promise<void> {
  const until = performance.now() + MAX_WAIT_MS;
  while ((await readOwnWeights(db, projectId))?.fitted_at === null) {
    if (performance.now() > until)
      throw new OperatorError('No worker has fitted the weights in five minutes. The fit stays queued.');
    await sleep(250);
  }
}

type Described = ReturnType<typeof describe>;

function describe(row: OwnWeightsRow | undefined, answering: number | null) {
  const { fitted_at = null, verdict = null, undone = false } = row ?? {};
  const accepted = verdict === 'accepted' && !undone;
  return {
    /** Which weights answer. */
    used: accepted && row?.model_id === answering ? ('own' as const) : ('model' as const),
    verdict,
    undone,
    fitted_at: fitted_at?.toISOString() ?? null,
    figures: (row?.figures ?? null) as OwnFigures | null,
    weights: Object.entries(row?.weights ?? {}).map(([evidence, own]) => ({
      evidence,
      model: Number(row?.model_weights?.[evidence]),
      own: Number(own),
    })),
  };
}

/** Why the weights are used or not, for people. */
function reasonOf({ verdict, undone, used }: Described): string {
  if (undone) return "undone by `project weights --undo`: the model's weights answer";
  if (verdict === null)
    return `none were fitted yet (${MIN_REDIRECTS} redirects are needed): the model's weights answer`;
  if (verdict !== 'accepted') return `refused, ${verdict}: the model's weights answer`;
  return used === 'own' ? 'accepted: they answer' : "of another model: the model's weights answer";
}

function render(value: Described): string {
  const { figures, weights } = value;
  const lines = [`Own weights: ${reasonOf(value)}`];
  if (!figures) return lines.join('\n');
  const share = (number: number): string => number.toFixed(3);
  const row = (what: string, n: number, { before, after }: { before: number; after: number }): string[] => [
    what,
    String(n),
    share(before),
    share(after),
  ];
  lines.push(
    `Fitted at ${value.fitted_at ?? ''}. Each judged by a fit without it; gain over standard error ${figures.z.toFixed(1)}`,
    '',
    table([
      ['', 'N', 'MODEL', 'OWN'],
      row('redirects right', figures.redirects, figures.recall1),
      row('their log-loss', figures.redirects, figures.log_loss),
      row('mistyped right', figures.mistyped, figures.mistyped_recall1),
      row('junk answered', figures.junk, figures.junk_answered),
    ]),
    '',
    table([
      ['EVIDENCE', 'MODEL', 'OWN'],
      ...weights.map((one) => [one.evidence, one.model.toFixed(2), one.own.toFixed(2)]),
    ]),
  );
  return lines.join('\n');
}
