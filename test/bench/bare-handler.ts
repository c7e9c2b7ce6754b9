import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { reserveFreePort } from '../../packages/dev/os/ports.ts'
import { stopProcess } from '../support/second-processes.ts'
import type { BenchStack } from './bench-stack.ts'

/** Starts the server under reads, lists and look-ups (test/bench/bare-server.ts), which answers `/0`, `/1` … by these lists of statements. */
export async function openBareServer(
  site: BenchStack,
  { databaseUrl, statementLists }: { databaseUrl: string; statementLists: string[][] },
) {
  const port = await reserveFreePort()
  const server = fork(fileURLToPath(new URL('./bare-server.ts', import.meta.url)), [
    ...[String(port.port), databaseUrl],
  ])
  server.send(statementLists)
  await once(server, 'message')
  return {
    api: site.api(`http://127.0.0.1:${port.port}`),
    async [Symbol.asyncDispose]() {
      await stopProcess(server)
      await port.release()
    },
  }
}
