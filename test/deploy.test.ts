import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readRepositoryFile, repositoryFiles, ROOT } from '../scripts/repository.js';
import { loadConfig } from '../src/app/index.js';
import { createNodeServer } from '../src/mcp/server/index.js';
import { rowsOf } from './document-tables.js';

/** The files in `deploy` name only what there is, and run the hub as carefully as it deserves. */

const variables = rowsOf(readRepositoryFile('docs/configuration.md'), 'variable').map(
  ({ variable = '' }) => variable,
);
const hasProgram = (name: string): boolean => spawnSync(name, ['--version']).error === undefined;

describe('Dockerfile', () => {
  const text = readRepositoryFile('deploy/Dockerfile').replaceAll(/\\\n\s*/g, ' ');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const argumentsOf = (instruction: string): string[] =>
    lines
      .filter((line) => line.startsWith(`${instruction} `))
      .map((line) => line.slice(instruction.length + 1));

  test('copies what is in the repository, and what an earlier stage has made', () => {
    const files = repositoryFiles();
    const stages = argumentsOf('FROM').flatMap((from) => / AS (\w+)$/.exec(from)?.slice(1) ?? []);
    for (const copy of argumentsOf('COPY')) {
      const stage = /^--from=(\w+) /.exec(copy)?.[1];
      if (stage !== undefined) expect(stages).toContain(stage);
      else
        for (const source of copy.split(' ').slice(0, -1))
          expect(files.some((file) => file === source || file.startsWith(`${source}/`))).toBe(true);
    }
  });

  test('copies what the sample server imports', () => {
    const { name, exports } = JSON.parse(readRepositoryFile('package.json')) as {
      name: string;
      exports: Record<string, { default: string }>;
    };
    const imported = readRepositoryFile('examples/sample-server.mjs').matchAll(/ from '([^']+)'/g);
    const files = [...imported]
      .filter(([, from = '']) => from.startsWith(`${name}/`))
      .map(([, from = '']) => exports[from.replace(name, '.')]?.default.slice(2) ?? from);
    const copied = argumentsOf('COPY').map((copy) => copy.split(' ').at(-1) ?? '');
    expect(files).not.toEqual([]);
    expect(files.filter((file) => !copied.some((folder) => file.startsWith(`${folder}/`)))).toEqual([]);
  });

  test('everything that it copies is let through to the build', () => {
    const allowed = readRepositoryFile('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const sources = argumentsOf('COPY')
      .filter((copy) => !copy.startsWith('--from'))
      .flatMap((copy) => copy.split(' ').slice(0, -1));
    expect(sources.toSorted()).toEqual(allowed.toSorted());
  });

  test('ends as an ordinary user, with an init, stopped by SIGTERM, on a pinned line of Node that we serve', () => {
    expect(argumentsOf('USER').at(-1)).toBe('node');
    expect(argumentsOf('ENTRYPOINT')).toEqual(['["tini", "--", "crosspoint"]']);
    expect(argumentsOf('STOPSIGNAL')).toEqual(['SIGTERM']);
    expect(argumentsOf('ARG')).toEqual(['NODE_VERSION=24']);
    expect(text).not.toMatch(/:latest|^ADD |curl /m);
  });

  test('the command has its name everywhere, and leads to a program that may be executed', () => {
    const { bin } = JSON.parse(readRepositoryFile('package.json')) as { bin: Record<string, string> };
    expect(text).toContain(`ln -s /opt/crosspoint/${bin['crosspoint']} /usr/local/bin/crosspoint`);
    expect(text).toContain(`chmod +x ${bin['crosspoint']}`);
  });

  test('a configuration is kept in the volume, and the data in a folder of it that the hub makes itself', () => {
    expect(argumentsOf('VOLUME')).toEqual(['/data']);
    expect(argumentsOf('WORKDIR').at(-1)).toBe('/data');
    // The root of a volume belongs to whoever mounted it: the hub could not close it to others.
    expect(/CROSSPOINT_DATA=(\S+)/.exec(argumentsOf('ENV').join(' '))?.[1]).toMatch(/^\/data\/./);
  });

  test('what is taken out of packages is there, and what this system needs of them stays', () => {
    for (const path of text.match(/node_modules\/@[\w/-]+/g) ?? [])
      expect(existsSync(join(ROOT, path))).toBe(true);
    const prebuilds = join(ROOT, 'node_modules/@photostructure/sqlite/prebuilds');
    expect(existsSync(join(prebuilds, `linux-${process.arch}`))).toBe(true);
  });

  test('its check asks the port that the hub was given', async () => {
    const command = JSON.parse(
      / CMD (\[.*\])$/.exec(argumentsOf('HEALTHCHECK').at(-1) ?? '')?.[1] ?? '[]',
    ) as string[];
    const asked: string[] = [];
    const server = createServer(({ url = '' }, response) => {
      asked.push(url);
      response.writeHead(asked.length === 1 ? 200 : 503).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const codes: unknown[] = [];
    for (let round = 0; round < 2; round++) {
      const env = { ...process.env, CROSSPOINT_PORT: String(port) };
      codes.push(
        (await once(spawn(process.execPath, command.slice(1), { env, stdio: 'ignore' }), 'exit'))[0],
      );
    }
    server.closeAllConnections();
    server.close();
    expect([asked, codes]).toEqual([
      ['/health', '/health'],
      [0, 1],
    ]);
  });

  test('sets only variables that the hub knows', () => {
    const set =
      argumentsOf('ENV')
        .join(' ')
        .match(/CROSSPOINT_\w+/g) ?? [];
    expect(set.length).toBeGreaterThan(0);
    expect(set.filter((name) => !variables.includes(name))).toEqual([]);
  });
});

interface Service {
  readonly image?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly healthcheck?: object;
  readonly networks?: Readonly<Record<string, { readonly ipv4_address?: string }>>;
  readonly depends_on?: Readonly<Record<string, { condition: string }>>;
}

describe('compose.yaml', () => {
  const text = readRepositoryFile('deploy/compose/compose.yaml');
  const { services, volumes } = parse(text) as {
    services: Record<string, Service>;
    volumes: Record<string, object>;
  };

  test('names only services, volumes and variables that there are', () => {
    for (const { depends_on = {}, volumes: used = [], environment = {} } of Object.values(services)) {
      for (const name of Object.keys(depends_on)) expect(services).toHaveProperty(name);
      for (const source of used.map((volume) => volume.split(':')[0] ?? '')) {
        if (source.startsWith('.')) expect(existsSync(join(ROOT, 'deploy/compose', source))).toBe(true);
        else expect(volumes).toHaveProperty(source);
      }
      const unknown = Object.keys(environment).filter(
        (name) => name.startsWith('CROSSPOINT_') && !variables.includes(name),
      );
      expect(unknown).toEqual([]);
    }
  });

  test('the hub believes its nginx, and nobody else, about who a client is', () => {
    const { trustedProxies } = loadConfig({
      flags: { config: join(ROOT, 'deploy/compose/crosspoint.yaml') },
      environment: {},
      folder: ROOT,
      now: 0,
    }).server;
    expect(trustedProxies).toEqual([services['nginx']?.networks?.['default']?.ipv4_address]);
    expect(services['hub']?.volumes).toEqual([
      `./crosspoint.yaml:${services['hub']?.environment?.['CROSSPOINT_CONFIG']}:ro`,
    ]);
    expect(readRepositoryFile('deploy/compose/nginx.conf')).toContain(
      'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
    );
  });

  test('has no secret of its own: whoever gives none does not start', () => {
    const given = text.match(/\$\{[A-Z_]+[^}]*\}/g) ?? [];
    const optional = given.filter((reference) => !reference.includes(':?'));
    expect(optional).toEqual(['${CROSSPOINT_ADDRESS:-127.0.0.1}', '${CROSSPOINT_PORT:-8080}']);
    expect(services['hub']?.environment).toMatchObject({
      CROSSPOINT_ADMIN_TOKEN: expect.stringContaining(':?') as string,
      CROSSPOINT_MASTER_KEY: expect.stringContaining(':?') as string,
    });
  });
});

test('Postgres counts as well when it serves, not while it prepares a new database', () => {
  const { services } = parse(readRepositoryFile('deploy/compose/compose.yaml')) as {
    services: Record<string, { healthcheck?: { test: string[] } }>;
  };
  expect(services['postgres']?.healthcheck?.test).toContain('--host=127.0.0.1');
});

test.skipIf(!hasProgram('nginx'))('nginx takes the configuration of the balancer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-nginx-'));
  try {
    // Looking names up again is a thing of newer versions than some systems have.
    const text = readRepositoryFile('deploy/compose/nginx.conf')
      .replace(' resolve max_fails', ' max_fails')
      .replace('server hub:8080', 'server 127.0.0.1:8080')
      .replace('/tmp/nginx.pid', join(folder, 'nginx.pid'));
    const file = join(folder, 'nginx.conf');
    writeFileSync(file, text);
    const { status, stderr } = spawnSync('nginx', ['-t', '-c', file, '-p', folder, '-e', 'stderr'], {
      encoding: 'utf8',
    });
    expect(stderr).toContain('test is successful');
    expect(status).toBe(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the balancer ends a quiet connection before the hub does', () => {
  const text = readRepositoryFile('deploy/compose/nginx.conf');
  const seconds = Number(/upstream hub \{[^}]*\bkeepalive_timeout (\d+)s;/.exec(text)?.[1]);
  const server = createNodeServer(() => {});
  expect(seconds * 1000).toBeLessThan(server.keepAliveTimeout);
  expect(readRepositoryFile('docs/deployment.md')).toContain(`after ${seconds} seconds`);
});

describe('crosspoint.yaml for Kubernetes', () => {
  const documents = parseAllDocuments(readRepositoryFile('deploy/kubernetes/crosspoint.yaml'));
  const objects = documents.map((document) => document.toJS() as { readonly kind: string });
  const find = (kind: string) => objects.find((object) => object.kind === kind) as never;

  test('can be read', () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  });

  test('the replicas cannot do more than they must, and say when they are ready', () => {
    const { spec } = find('Deployment') as { spec: Record<string, never> };
    expect(spec).toMatchObject({
      template: {
        spec: {
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              startupProbe: { httpGet: { path: '/health' } },
              livenessProbe: { httpGet: { path: '/health' } },
              readinessProbe: { httpGet: { path: '/ready' } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
            },
          ],
        },
      },
    });
  });

  test('no variable that Kubernetes makes of a service is taken for a setting', () => {
    // A service called `crosspoint` would set CROSSPOINT_PORT to tcp://ADDRESS:80, and no pod would start any more.
    const { metadata } = find('Service') as { metadata: { name: string } };
    const link = `${metadata.name.toUpperCase()}_PORT`;
    const { spec } = find('Deployment') as { spec: { template: { spec: { enableServiceLinks?: boolean } } } };
    expect([variables.includes(link), spec.template.spec.enableServiceLinks]).toEqual([true, false]);
  });

  test('selectors find the pods, mounts find their volumes', () => {
    const deployment = find('Deployment') as {
      spec: {
        selector: { matchLabels: object };
        template: {
          metadata: { labels: object };
          spec: {
            containers: { volumeMounts: { name: string }[] }[];
            volumes: { name: string }[];
            terminationGracePeriodSeconds: number;
          };
        };
      };
    };
    const { selector, template } = deployment.spec;
    expect(template.metadata.labels).toEqual(selector.matchLabels);
    for (const kind of ['Service', 'PodDisruptionBudget']) {
      const { spec } = find(kind) as { spec: { selector: object } };
      expect([selector, selector.matchLabels]).toContainEqual(spec.selector);
    }
    const volumes = template.spec.volumes.map(({ name }) => name);
    const mounts = template.spec.containers.flatMap(({ volumeMounts }) =>
      volumeMounts.map(({ name }) => name),
    );
    expect(mounts.toSorted()).toEqual(volumes.toSorted());
    // Longer than the hub waits for running calls, and the pause before it.
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(15);
  });
});

test.skipIf(!hasProgram('systemd-analyze'))('systemd takes the unit', () => {
  const unit = join(ROOT, 'deploy/systemd/crosspoint.service');
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' });
  expect(stderr.replaceAll(/^.*(?:\/etc\/systemd|Failed to).*\n/gm, '')).toBe('');
  expect(status).toBe(0);
});

test('the unit lets the hub ask for its own addresses, and kills nothing for a call that it does not know', () => {
  const unit = readRepositoryFile('deploy/systemd/crosspoint.service');
  expect(unit).toMatch(/^RestrictAddressFamilies=.*\bAF_NETLINK\b/m);
  expect(unit).toMatch(/^SystemCallErrorNumber=EPERM$/m);
});
