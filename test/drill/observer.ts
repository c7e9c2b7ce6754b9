import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFile } from 'node:fs/promises'
import { createAlertEvaluator, parseSamples } from './alerts.ts'

/** One request to the API under test, as its caller saw it; `status` is null where no answer came. */
export type ObservedResponse = { method: string; path: string; status: number | null; ms: number }
/** A line of the access log, or of a failed call of a provider. */
export type LogLine = { message: string; status?: number; code?: string; cause?: string; ms?: number }

const SCRAPE_INTERVAL_MS = 2_000
const SCRAPE_TIMEOUT_MS = 6_000

type UndiciRequest = { origin: string; path: string; method: string }

/**
 * Observes one row of a drill: every response to this process's own requests, the log of each part, and the alerts that
 * fire. `instances` are the addresses of the processes that are scraped.
 */
export function createObserver({
  apiUrl,
  instances,
  logs,
}: {
  apiUrl: string
  instances: string[]
  logs: string[]
}) {
  const answers: ObservedResponse[] = []
  const startTimes = new WeakMap<UndiciRequest, number>()
  const alarms = createAlertEvaluator()
  const offsets = new Map<string, number>()

  const created = (message: unknown) => {
    const { request } = message as { request: UndiciRequest }
    if (String(request.origin) === apiUrl) startTimes.set(request, performance.now())
  }
  const answered = (message: unknown) => {
    const { request, response } = message as { request: UndiciRequest; response: { statusCode: number } }
    note(request, response.statusCode)
  }
  const failed = (message: unknown) => note((message as { request: UndiciRequest }).request, null)
  const channels = [
    ['undici:request:create', created],
    ['undici:request:headers', answered],
    ['undici:request:error', failed],
  ] as const

  let scraping = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let isScraping = false

  return {
    async start(): Promise<void> {
      for (const log of logs) offsets.set(log, (await readLog(log)).length)
      for (const [name, listener] of channels) subscribe(name, listener)
      timer = setInterval(() => {
        if (isScraping) return
        isScraping = true
        scraping = scrape().finally(() => {
          isScraping = false
        })
      }, SCRAPE_INTERVAL_MS)
    },
    async stop() {
      end()
      await scraping
      const lines = (await Promise.all(logs.map(linesOf))).flat()
      return { answers, lines, firedAlerts: alarms.firedAlerts() }
    },
    [Symbol.dispose]: end,
  }

  function end(): void {
    clearInterval(timer)
    for (const [name, listener] of channels) unsubscribe(name, listener)
  }

  function note(request: UndiciRequest, status: number | null): void {
    const since = startTimes.get(request)
    if (since === undefined) return
    startTimes.delete(request)
    const { method, path } = request
    if (path !== '/metrics') answers.push({ method, path, status, ms: performance.now() - since })
  }

  async function scrape(): Promise<void> {
    const samples = await Promise.all(
      instances.map(async instance => {
        const limit = AbortSignal.timeout(SCRAPE_TIMEOUT_MS)
        const text = await fetch(`${instance}/metrics`, { signal: limit }).then(
          answer => (answer.ok ? answer.text() : ''),
          () => '',
        )
        return parseSamples(text, instance)
      }),
    )
    alarms.addScrape({ at: Date.now(), samples: samples.flat() })
  }

  async function linesOf(log: string): Promise<LogLine[]> {
    const text = (await readLog(log)).slice(offsets.get(log) ?? 0)
    return text.split('\n').flatMap(line => {
      try {
        const { msg, status, code, cause, ms } = JSON.parse(line)
        return [{ message: String(msg), status, code, cause, ms }]
      } catch {
        return [] // A line that is still being written.
      }
    })
  }
}

function readLog(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}
