import { readdir, readFile } from 'node:fs/promises'

/** The processes whose time an operation takes, by their command lines; the first match applies. */
const PROGRAMS = {
  API: /\bsrc\/server\.ts/,
  worker: /\bsrc\/worker\.ts/,
  PostgreSQL: /\bpostgres/,
  Temporal: /\btemporal(-server)? /,
  floor: /\btest\/bench\/floors\//,
  baseline: /\btest\/bench\/baseline\//,
}
export type Program = keyof typeof PROGRAMS
export const PROGRAM_NAMES = Object.keys(PROGRAMS) as Program[]
/** Processor time in ms, per program. */
export type CpuTimes = Record<Program, number>

/** Linux reports it in ticks; USER_HZ is 100 on every architecture that Node runs on. */
const TICK_MS = 10

/** The processor time of each program so far, in ms, over all processes that this one started; null where /proc is missing. */
export async function readCpuTimes(): Promise<CpuTimes | null> {
  const all = await readProcesses()
  if (!all) return null
  const times = Object.fromEntries(PROGRAM_NAMES.map(name => [name, 0])) as CpuTimes
  for (const one of all) {
    const program = isDescendant(one, all) && programNameOf(one.command)
    if (program) times[program] += one.ms
  }
  return times
}

/** Each program's time while something runs; null where /proc is missing. */
export async function measureCpu(act: () => Promise<unknown>): Promise<CpuTimes | null> {
  const before = await readCpuTimes()
  await act()
  const after = await readCpuTimes()
  return before && after && mapCpuTimes(after, (ms, name) => ms - before[name])
}

/** The time of some programs per operation; undefined where it is not known. */
export function divideCpuTimes(
  times: CpuTimes | null,
  { programs, operations }: { programs: readonly Program[]; operations: number },
): Partial<CpuTimes> | undefined {
  if (!times) return undefined
  return Object.fromEntries(programs.map(name => [name, times[name] / operations]))
}

export function sumCpuMs(times: Partial<CpuTimes> | undefined): number {
  return times ? Object.values(times).reduce((sum, ms) => sum + ms, 0) : Number.NaN
}

export function mapCpuTimes(times: CpuTimes, map: (ms: number, name: Program) => number): CpuTimes {
  return Object.fromEntries(PROGRAM_NAMES.map(name => [name, map(times[name], name)])) as CpuTimes
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
  return PROGRAM_NAMES.find(name => PROGRAMS[name].test(command))
}
