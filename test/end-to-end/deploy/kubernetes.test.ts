import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { SECRETS } from '#src/platform/settings/secret-files.js';
import { SETTINGS } from '#src/platform/settings/settings.js';
import { packageRoot } from '#src/base/package-root.js';
import { kubernetesSchemas, schemaFaults } from '../../support/kubernetes-schemas.js';
import { isThere } from '../../support/programs.js';

const root = packageRoot();
const NAMES = [...Object.keys(SETTINGS), ...SECRETS.map((name) => `${name}_FILE`)];
/** Read by deploy/backup.sh. */
const OF_BACKUP = ['BACKUP_FOLDER', 'BACKUP_KEEP'];

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  /** A config map has none. */
  spec?: {
    template?: { spec: Pod };
    jobTemplate?: { spec: { template: { spec: Pod } } };
    selector?: { matchLabels: Record<string, string> };
  };
}
interface Policy {
  ingress?: { ports: { port: number }[] }[];
  egress?: { ports: { port: number }[] }[];
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

describe('deploy/kubernetes (where kubectl is: scripts/servers/kubernetes.sh)', function () {
  this.timeout(180_000);
  let manifests: Manifest[];
  let overlay = '';
  let folder: string;

  before(async function () {
    if (!isThere('kubectl')) this.skip();
    folder = await mkdtemp(join(tmpdir(), 'pathmend-kubernetes-'));
    const readme = await readFile(join(root, 'deploy/kubernetes/README.md'), 'utf8');
    [, overlay = ''] = /```yaml\n([\s\S]*?)```/.exec(readme) ?? [];
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
    ).to.deep.equal(['api', 'backup', 'migrate', 'worker']);
  });

  it("Kubernetes' own schemas know every field, and take every value (where scripts/servers/kubernetes.sh fetched them)", async function () {
    const schemas = kubernetesSchemas();
    if (schemas === undefined) this.skip();
    // KEDA's object is not of Kubernetes itself.
    const builtInManifests = manifests.filter(({ kind }) => kind !== 'ScaledObject');
    expect(await schemaFaults(builtInManifests, schemas, join(folder, 'checked'))).to.deep.equal([]);
    const [first] = builtInManifests.filter(({ kind }) => kind === 'Deployment');
    const mistakes = { replcas: 2, paused: 'no' };
    const wrong = Object.entries(mistakes).map(([name, value]) => ({
      ...first,
      spec: { ...first?.spec, [name]: value },
    }));
    const faults = await schemaFaults(wrong as unknown as Manifest[], schemas, join(folder, 'refused'));
    for (const name of Object.keys(mistakes)) expect(faults.join('\n')).to.include(name);
  });

  it('every component is in it', async () => {
    const components = await readdir(join(root, 'deploy/kubernetes/components'));
    for (const name of components) expect(overlay, name).to.include(`/components/${name} #`);
  });

  it('the network lets out and in what the components need, beside names and the database, and no more', () => {
    const open = (direction: 'ingress' | 'egress'): Record<string, number[]> =>
      Object.fromEntries(
        manifests
          .filter(({ kind }) => kind === 'NetworkPolicy')
          .flatMap(({ metadata, spec }) => {
            const rules = (spec as unknown as Policy)[direction] ?? [];
            const ports = rules.flatMap((rule) => rule.ports.map(({ port }) => port));
            return ports.length > 0 ? [[metadata.name.replace(/^pathmend-?/, ''), ports]] : [];
          }),
      );
    expect(open('ingress')).to.deep.equal({ '': [8080], console: [8081] });
    expect(open('egress')).to.deep.equal({
      '': [53, 53, 5432],
      'sign-on': [443],
      mail: [25, 465, 587],
      webhooks: [443],
      traces: [4318],
      pooler: [6432],
      sync: [80, 443],
    });
  });

  it('every port that a service leads to is one of its pods', () => {
    for (const { kind, metadata, spec } of manifests) {
      if (kind !== 'Service') continue;
      const targets = (spec as unknown as { ports: { targetPort: string }[] }).ports.map((port) => port.targetPort);
      const api = pods().find(([name]) => name === 'pathmend-api')?.[1].containers[0]?.ports ?? [];
      expect(
        api.map(({ name }) => name),
        metadata.name,
      ).to.include.members(targets);
    }
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
    expect(NAMES).to.include.members([...settings.matchAll(/^(\w+)=/gm)].map(([, name]) => name));
    for (const [name, pod] of pods())
      for (const { image, env } of pod.containers) {
        expect([...NAMES, ...OF_BACKUP], name).to.include.members(env.map((variable) => variable.name));
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
      const selectedLabels = labels.filter((has) => wanted.every(([name, value]) => has[name] === value));
      expect(selectedLabels.length, `${kind} ${metadata.name}`).to.be.above(0);
    }
  });
});
