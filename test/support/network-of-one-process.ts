import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type ProxyFault, startTcpProxy } from './tcp-proxy.ts'

/** The way of one process to servers that other processes reach without it. */
export type ProcessNetwork = Awaited<ReturnType<typeof openProcessNetwork>>

/**
 * Opens a network of one process to the servers at these URLs, by a proxy for each. The process is started with
 * `environment`; a fault is its own, whatever other processes reach.
 */
export async function openProcessNetwork(urls: string[]) {
  const ways = await Promise.all(
    urls.map(async url => {
      const { port } = new URL(url)
      return { url, port, proxy: await startTcpProxy({ host: '127.0.0.1', port: Number(port) }) }
    }),
  )
  const program = pathToFileURL(join(import.meta.dirname, 'programs/redirect-ports.mjs')).href
  return {
    environment: {
      NODE_OPTIONS: `--import ${program}`,
      REDIRECTED_PORTS: ways.map(({ port, proxy }) => `${port}:${proxy.port}`).join(','),
    },
    /** On the way to the server at `only`, or to all of them. */
    injectFault(fault: ProxyFault, only?: string) {
      for (const { url, proxy } of ways) if (only === undefined || url === only) proxy.injectFault(fault)
    },
    /** Connections that the last fault has disturbed. */
    disturbances: () => ways.reduce((sum, { proxy }) => sum + proxy.disturbances(), 0),
    clearFault() {
      for (const { proxy } of ways) proxy.clearFault()
    },
    close() {
      for (const { proxy } of ways) proxy.close()
    },
  }
}
