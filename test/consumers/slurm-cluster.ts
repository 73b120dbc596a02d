/**
 * Runs a Slurm cluster of this machine alone, with its files in a folder of its own.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { execa } from 'execa';

export interface Cluster {
  /** For the commands of Slurm, in the environment. */
  readonly env: { readonly SLURM_CONF: string };
  readonly stop: () => Promise<void>;
}

/** No accounts, no limits, no keys: nobody else may use it while it runs. */
const SETTINGS = `\
ClusterName=ptflame
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000
PartitionName=all Nodes=ALL Default=YES State=UP
`;

/** Returns why it cannot run here, if it does not. `cpus`: how many tasks run at a time. */
export async function startCluster(folder: string, cpus: number): Promise<Cluster | string> {
  if (process.getuid?.() !== 0) return 'only root can run a cluster';
  const node = hostname().split('.')[0];
  for (const name of ['state', 'spool']) mkdirSync(join(folder, name));
  const [controlPort, nodePort] = [await freePort(), await freePort()];
  const path = join(folder, 'slurm.conf');
  const own = [
    `SlurmctldHost=${node}(127.0.0.1)\nSlurmctldPort=${controlPort}\nSlurmdPort=${nodePort}`,
    `StateSaveLocation=${folder}/state\nSlurmdSpoolDir=${folder}/spool`,
    ...['Slurmctld', 'Slurmd'].map(
      (name) => `${name}PidFile=${folder}/${name}.pid\n${name}LogFile=${folder}/${name}.log`,
    ),
    `NodeName=${node} NodeAddr=127.0.0.1 CPUs=${cpus} State=UNKNOWN`,
  ];
  writeFileSync(path, `${own.join('\n')}\n${SETTINGS}`);
  const daemons = ['slurmctld', 'slurmd'].map((name) => spawn(name, ['-f', path, '-D'], { stdio: 'ignore' }));
  const cluster = { env: { SLURM_CONF: path }, stop: () => stop(daemons) };
  if (await isReady(cluster)) return cluster;
  await cluster.stop();
  return `Slurm does not start here: ${lastLine(join(folder, 'Slurmd.log'))}`;
}

const POLL_MS = 100;
const MAX_POLLS = 200;

async function isReady({ env }: Cluster): Promise<boolean> {
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    const { stdout } = await execa('sinfo', ['-h', '-o', '%t'], { env, reject: false });
    if (stdout === 'idle') return true;
    await setTimeout(POLL_MS);
  }
  return false;
}

async function stop(daemons: readonly ChildProcess[]): Promise<void> {
  for (const daemon of daemons) {
    if (daemon.exitCode !== null || daemon.signalCode !== null) continue;
    const ended = new Promise((resolve) => daemon.once('exit', resolve));
    daemon.kill();
    await ended;
  }
}

function lastLine(path: string): string {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n').at(-1) ?? '';
  } catch {
    return 'it wrote no log';
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, fail) => {
    const server = createServer().once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
