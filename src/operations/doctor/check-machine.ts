import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '../../base/errors.js';
import { deriveManifest } from '../../embedding/derive-manifest.js';
import { AUTO, localModel, locateModel, modelChoice } from '../../embedding/locate-model.js';
import { computeFingerprint, readManifest, verifyFiles } from '../../embedding/model-manifest.js';
import { checkLanguages, describeLanguages } from '../../pages/indexing/model-state.js';
import {
  findProjectsWaitingForModel,
  findWantedModels,
  readInstallationModel,
} from '../../pages/store/model-choices.js';
import { findAnsweringModels, findModel } from '../../pages/store/models.js';
import type { Db } from '../../platform/database/db.js';
import type { Config } from '../../platform/settings/config.js';
import { type Finding, ok, problem, size, warning } from './finding.js';

/** The amounts of free space below which a day's growth, or a log that is replayed, may fill the disk. */
const MIN_FREE_BYTES = { warning: 2e9, problem: 200e6 };
const MIN_FREE_SHARE = 0.05;

/** Checks the free space of the disk that DATA_DIR is on, or will be. */
export async function checkDisk(dataDir: string): Promise<Finding> {
  let folder = resolve(dataDir);
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, blocks, bsize } = await statfs(folder);
  return judgeDisk(resolve(dataDir), bavail * bsize, blocks * bsize);
}

export function judgeDisk(folder: string, free: number, total: number): Finding {
  const message = `${size(free)} of ${size(total)} free for DATA_DIR (${folder})`;
  const action = 'Free some space, or move DATA_DIR to a larger disk (docs/operate/performance.md, Full disk).';
  if (free < MIN_FREE_BYTES.problem) return problem('disk', message, action);
  if (free < MIN_FREE_BYTES.warning || free < total * MIN_FREE_SHARE) return warning('disk', message, action);
  return ok('disk', message);
}

/** Checks whether the files of the models that workers load here are those of their manifests. Fetches nothing. */
export function checkModels({ embeddingModel, modelCacheDir }: Config): Promise<Finding[]> {
  const names = embeddingModel === AUTO ? ['english', 'multilingual'] : [embeddingModel];
  return Promise.all(names.map((name) => checkModel(name, modelCacheDir)));
}

async function checkModel(name: string, modelCacheDir: string): Promise<Finding> {
  const cached = join(modelCacheDir, ...name.split('/'));
  if (localModel(name) === undefined && !existsSync(cached))
    return warning(
      'model',
      `EMBEDDING_MODEL ${JSON.stringify(name)} is neither a folder nor in MODEL_CACHE_DIR`,
      'The next start fetches it from the hub, if there is such a model; without a network, copy its folder here.',
    );
  try {
    const { folder, id } = await locateModel(name, modelCacheDir, '');
    const manifest = await readManifest(folder);
    if (manifest) await verifyFiles(folder, manifest);
    const fingerprint = computeFingerprint(manifest ?? (await deriveManifest(folder, id)));
    const how = manifest ? 'its files have the hashes of its manifest' : 'it has no manifest to compare with';
    return ok('model', `${id} (${fingerprint.slice(0, 12)}): ${how}`);
  } catch (error) {
    const action = 'Copy the model again from its source, or install the release again.';
    return problem('model', messageOf(error), action);
  }
}

const MAX_MODELS = 100;
const FETCH =
  'Let a worker reach the hub, or copy the folder of the model into its MODEL_CACHE_DIR; or choose another: `project update --project P --model auto`.';
/** The maximum number of projects whose languages are looked at: each takes a third of a second. */
const MAX_PROJECTS = 20;

/** Checks whether workers have this EMBEDDING_MODEL, answering models are here, and the English one fits its pages. */
export async function checkModelsAtWork(db: Db, { embeddingModel, modelCacheDir }: Config): Promise<Finding[]> {
  const findings: Finding[] = [];
  const installation = await readInstallationModel(db);
  if (installation !== undefined && installation !== nameOf(embeddingModel))
    findings.push(
      warning(
        'model',
        `The worker that started last has EMBEDDING_MODEL ${JSON.stringify(installation)}, not ${JSON.stringify(embeddingModel)}`,
        'Give every worker the same: projects without a choice of their own change to that of the last start.',
      ),
    );
  for (const { name, project, failure } of await findWantedModels(db, MAX_MODELS)) {
    // The model of the installation is looked at above; a worker that cannot load it does not start.
    if (failure === null && (name === installation || isHere(name, modelCacheDir))) continue;
    const chosen = `The model ${JSON.stringify(name)}, which ${JSON.stringify(project)} wants,`;
    findings.push(
      failure === null
        ? warning('model', `${chosen} is not here, and no worker has fetched it yet`, FETCH)
        : problem('model', `${chosen} cannot be loaded by workers: ${failure}`, FETCH),
    );
  }
  for (const modelId of await findAnsweringModels(db, MAX_MODELS)) {
    const model = await findModel(db, modelId);
    const location = model?.location ?? model?.name ?? '';
    if (!isHere(location, modelCacheDir))
      findings.push(
        problem(
          'model',
          `Projects answer with the model ${JSON.stringify(location)}, which is not here: they are searched by words and paths alone`,
          'That ends when their pages have the vectors of another model (`project show` says how far that is), or with its folder.',
        ),
      );
  }
  return [...findings, ...(await checkProjectLanguages(db))];
}

function isHere(location: string, modelCacheDir: string): boolean {
  return localModel(location) !== undefined || existsSync(join(modelCacheDir, ...location.split('/')));
}

function nameOf(embeddingModel: string): string {
  try {
    return modelChoice(embeddingModel);
  } catch {
    return embeddingModel;
  }
}

async function checkProjectLanguages(db: Db): Promise<Finding[]> {
  const projects = await findProjectsWaitingForModel(db, 'english', MAX_PROJECTS);
  const findings: Finding[] = [];
  for (const { project_id, name } of projects) {
    const { count, fits } = await checkLanguages(db, project_id, 'english');
    if (!fits)
      findings.push(
        warning(
          'languages',
          `The English model answers ${JSON.stringify(name)}, whose pages are ${describeLanguages(count)}`,
          'Have it decided again: `project update --project P --model auto`, or name a model there.',
        ),
      );
  }
  const fit =
    projects.length === 0 ? 'no project has the English model' : 'the English model reads the pages that it answers';
  return findings.length > 0 ? findings : [ok('languages', fit)];
}
