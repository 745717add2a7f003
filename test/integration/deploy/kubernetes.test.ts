import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { SETTINGS_SCHEMA } from '#src/settings/settings.js';
import { packageRoot } from '#src/package-root.js';
import { isThere } from '../../support/programs.js';

const root = packageRoot();
const SETTINGS = [...Object.keys(SETTINGS_SCHEMA.properties as object), 'DATABASE_URL_FILE', 'PGPASSWORD_FILE'];
/** Read by deploy/backup.sh. */
const OF_BACKUP = ['BACKUP_FOLDER', 'BACKUP_KEEP'];

interface Manifest {
  kind: string;
  metadata: { name: string };
  /** A config map has none. */
  spec?: {
    template?: { spec: Pod };
    jobTemplate?: { spec: { template: { spec: Pod } } };
    selector?: { matchLabels: Record<string, string> };
  };
}
interface Pod {
  securityContext: Record<string, unknown>;
  containers: Container[];
  volumes: { name: string }[];
}
interface Container {
  image: string;
  args?: string[];
  env: { name: string; value: string }[];
  securityContext: unknown;
  resources: { requests?: object; limits?: { memory?: string } };
  volumeMounts: { name: string }[];
  ports?: { name: string }[];
}

describe('deploy/kubernetes (where kubectl is)', function () {
  this.timeout(60_000);
  let manifests: Manifest[];
  let folder: string;

  before(async function () {
    if (!isThere('kubectl')) this.skip();
    folder = await mkdtemp(join(tmpdir(), 'pathmend-kubernetes-'));
    const readme = await readFile(join(root, 'deploy/kubernetes/README.md'), 'utf8');
    const [, overlay = ''] = /```yaml\n([\s\S]*?)```/.exec(readme) ?? [];
    await mkdir(join(folder, 'pathmend'));
    await cp(join(root, 'deploy'), join(folder, 'pathmend/deploy'), { recursive: true });
    await writeFile(join(folder, 'kustomization.yaml'), overlay);
    const text = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
    manifests = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
  });

  after(() => folder && rm(folder, { recursive: true }));

  function pods(): [string, Pod][] {
    return manifests.flatMap(({ metadata: { name }, spec }) => {
      const pod = spec?.jobTemplate?.spec.template.spec ?? spec?.template?.spec;
      return pod === undefined ? [] : [[name, pod] as [string, Pod]];
    });
  }

  it('what its README says to write is understood, and has every part', () => {
    const kinds = manifests.map(({ kind }) => kind);
    expect(kinds).to.include.members(['Service', 'Job', 'HorizontalPodAutoscaler', 'NetworkPolicy', 'ScaledObject']);
    expect(
      pods()
        .map(([name]) => name.replace('pathmend-', ''))
        .sort(),
    ).to.deep.equal(['api', 'backup', 'migrate', 'sync', 'worker']);
  });

  it('no pod is root, writes to its own files, or has a privilege, and each is bounded', () => {
    for (const [name, pod] of pods()) {
      expect(pod.securityContext, name).to.include({ runAsNonRoot: true });
      expect(pod.securityContext['seccompProfile'], name).to.deep.equal({ type: 'RuntimeDefault' });
      for (const container of pod.containers) {
        expect(container.securityContext, name).to.deep.equal({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources.limits?.memory, name).to.be.a('string');
        const volumes = pod.volumes.map((volume) => volume.name);
        expect(volumes, name).to.include.members(container.volumeMounts.map((mount) => mount.name));
      }
    }
  });

  it('every variable is a setting, and every image has the tag that is asked for', async () => {
    const settings = await readFile(join(root, 'deploy/kubernetes/settings.env'), 'utf8');
    expect(SETTINGS).to.include.members([...settings.matchAll(/^(\w+)=/gm)].map(([, name]) => name));
    for (const [name, pod] of pods())
      for (const { image, env } of pod.containers) {
        expect([...SETTINGS, ...OF_BACKUP], name).to.include.members(env.map((variable) => variable.name));
        expect(image, name).to.match(/^(?:registry\.internal\/pathmend:1\.0\.0|pgvector\/pgvector:0\.8\.6-pg18)$/);
      }
  });

  it('every policy, budget and service selects pods that are there', () => {
    const labels = manifests.flatMap(({ spec }) => {
      const template = (spec?.jobTemplate?.spec.template ?? spec?.template) as
        { metadata: { labels: Record<string, string> } } | undefined;
      return template ? [template.metadata.labels] : [];
    });
    for (const { kind, metadata, spec } of manifests) {
      const selector = (spec as { podSelector?: { matchLabels: object } } | undefined)?.podSelector ?? spec?.selector;
      if (!selector) continue;
      const wanted = Object.entries('matchLabels' in selector ? selector.matchLabels : selector);
      const found = labels.filter((has) => wanted.every(([name, value]) => has[name] === value));
      expect(found.length, `${kind} ${metadata.name}`).to.be.above(0);
    }
  });
});
