import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import type { BenchStack } from './bench-stack.ts'

/** The machine and the servers, which every figure depends on. */
export async function readRig({ stage }: BenchStack): Promise<Record<string, string>> {
  const [postgres] = await stage.sql<{ version: string }>('select version()')
  const settings = await stage.sql<{ name: string; setting: string }>(
    `select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'shared_buffers')`,
  )
  const temporal = await stage.connectTemporal()
  const cluster = await temporal.connection.workflowService.getClusterInfo({})
  return {
    machine: `${availableParallelism()} × ${cpus()[0]?.model.trim() || process.arch}, ${formatGib(totalmem())}`,
    'load at the start': loadavg()
      .map(one => one.toFixed(1))
      .join(' '),
    'everything on it': 'API, worker, simulator, PostgreSQL, Temporal, the callers',
    node: process.version,
    PostgreSQL: `${postgres!.version.split(' ')[1]} (${settings.map(({ name, setting }) => `${name} ${setting}`).join(', ')})`,
    Temporal: `${cluster.serverVersion} (persistence ${cluster.persistenceStore}, visibility ${cluster.visibilityStore}, history shards ${cluster.historyShardCount})`,
  }
}

const formatGib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(0)} GiB`
