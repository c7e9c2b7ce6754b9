import { readdir, readFile } from 'node:fs/promises'

/** The processes whose time an operation takes, by their command lines; the first match applies. */
const PROGRAMS = {
  API: /\bsrc\/server\.ts/,
  worker: /\bsrc\/worker\.ts/,
  PostgreSQL: /\bpostgres/,
  Temporal: /\btemporal(-server)? /,
}
export type Program = keyof typeof PROGRAMS

/** Linux reports it in ticks; USER_HZ is 100 on every architecture that Node runs on. */
const TICK_MS = 10

/** The processor time of each program so far, in ms, over all processes that this one started; null where /proc is missing. */
export async function readCpuTimes(): Promise<Record<Program, number> | null> {
  const all = await readProcesses()
  if (!all) return null
  const times = { API: 0, worker: 0, PostgreSQL: 0, Temporal: 0 }
  for (const one of all) {
    const program = isDescendant(one, all) && programNameOf(one.command)
    if (program) times[program] += one.ms
  }
  return times
}

type ProcessStat = { pid: number; parent: number; ms: number; command: string }

async function readProcesses(): Promise<ProcessStat[] | null> {
  const names = await readdir('/proc').catch(() => null)
  if (!names) return null
  const seen = await Promise.all(names.filter(name => /^\d+$/.test(name)).map(readProcess))
  return seen.filter(one => one !== null)
}

/** Null for a process that has ended meanwhile. */
async function readProcess(pid: string): Promise<ProcessStat | null> {
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => null)
  const [stat, command] = await Promise.all([read('stat'), read('cmdline')])
  if (!stat || command === null) return null
  // The program's name comes first, in brackets, and may contain anything.
  const [, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // Its own time, and that of its ended children, such as PostgreSQL's backends.
  const ticks = rest.slice(9, 13).map(Number)
  return {
    pid: Number(pid),
    parent: Number(parent),
    ms: ticks.reduce((sum, one) => sum + one, 0) * TICK_MS,
    command: command.replaceAll('\0', ' '),
  }
}

function isDescendant({ parent }: ProcessStat, all: ProcessStat[]): boolean {
  if (parent === process.pid) return true
  const above = all.find(({ pid }) => pid === parent)
  return above !== undefined && isDescendant(above, all)
}

function programNameOf(command: string): Program | undefined {
  return (Object.keys(PROGRAMS) as Program[]).find(name => PROGRAMS[name].test(command))
}
