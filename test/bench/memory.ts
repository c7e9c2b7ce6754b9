import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { tryReadJsonFile } from '../../packages/dev/env/state-dir.ts'
import { callMany } from './callers.ts'
import type { Figures } from './figures.ts'
import type { Bench } from './main.ts'

const CALLERS = 16
/** Measured so often on the way. */
const SAMPLES = 10

/** Memory of API and worker together over many charges: how much, and whether it keeps growing. */
export async function memory({ site, charges, say }: Bench): Promise<Partial<Figures>> {
  const { token } = await site.stage.createMerchant()
  const api = site.api()
  const pids = (await tryReadJsonFile<Record<'api' | 'worker', { pid: number }>>(site.stack.home.pids))!
  const measured: number[] = []
  const notes: string[] = []
  for (let look = 1; look <= SAMPLES; look += 1) {
    await callMany(Math.ceil(charges / SAMPLES), CALLERS, async () => {
      const { status } = await api.post('/api/v1/payments', token, { value: 10, type: 'PIX' })
      return status
    })
    const [ofApi, ofWorker] = [await readResidentMib(pids.api.pid), await readResidentMib(pids.worker.pid)]
    measured.push(ofApi + ofWorker)
    const line = `after ${Math.ceil((charges / SAMPLES) * look)} charges: API ${ofApi.toFixed(0)} MiB, worker ${ofWorker.toFixed(0)} MiB`
    say(line)
    notes.push(line)
  }
  const half = measured[SAMPLES / 2 - 1]!
  const end = measured.at(-1)!
  return {
    notes,
    goals: [
      { what: `API and worker after ${charges} charges`, is: end, atMost: 600, unit: 'MiB' },
      { what: `of which grown since ${charges / 2}`, is: end / half - 1, atMost: 0.1, unit: 'of it' },
    ],
  }
}

async function readResidentMib(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
  return Number(stdout) / 1_024
}
