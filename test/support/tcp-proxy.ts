import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * What a proxy does instead of passing bytes on immediately. `silent`: connections are accepted and no byte, FIN or RST
 * passes, which is how a partition and an unresponsive server look over an accepted connection; held bytes pass
 * afterwards. `reset`: every connection ends by RST. `half_close`: the client receives a FIN while the server's side
 * stays open. `slow`: each direction takes `delayMs` longer.
 */
export type ProxyFault = { kind: 'silent' | 'reset' | 'half_close' } | { kind: 'slow'; delayMs: number }

export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>

type SocketPair = { near: Socket; far: Socket }

/** A TCP proxy on a loopback port of its own in front of a server. */
export async function startTcpProxy(to: { host: string; port: number }) {
  const pairs = new Set<SocketPair>()
  const lost = new Set<Socket>()
  let fault: ProxyFault | null = null
  let disturbances = 0
  let heldEnds: (() => void)[] = []

  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, near => {
    const far = connect({ ...to, allowHalfOpen: true })
    const pair = { near, far }
    pairs.add(pair)
    relay(pair, near, far)
    relay(pair, far, near)
    disturb(pair)
    if (!isHeld()) near.resume()
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))

  return {
    port: (server.address() as AddressInfo).port,
    /** From now on, for the connections that exist and for new ones. */
    injectFault(next: ProxyFault) {
      fault = next
      disturbances = 0
      for (const pair of pairs) disturb(pair)
    },
    /** Connections that the last fault has disturbed, and for `slow` the chunks that it has delayed. */
    disturbances: () => disturbances,
    clearFault() {
      const wasHalfClosed = fault?.kind === 'half_close'
      fault = null
      for (const pair of pairs) {
        if (wasHalfClosed || pair.near.destroyed || pair.far.destroyed) end(pair)
        else for (const socket of [pair.near, pair.far]) socket.resume()
      }
      for (const passEnd of heldEnds) passEnd()
      heldEnds = []
    },
    /**
     * The clients' host is lost: the server never receives anything over their connections again. New ones are passed
     * on. Returns the number of these connections.
     */
    abandonClients(): number {
      const abandoned = pairs.size
      for (const pair of pairs) {
        pairs.delete(pair)
        for (const socket of [pair.near, pair.far]) {
          socket.pause()
          lost.add(socket)
        }
      }
      return abandoned
    },
    close() {
      for (const pair of pairs) end(pair)
      for (const socket of lost) socket.destroy()
      server.close()
    },
  }

  function isHeld(): boolean {
    return fault?.kind === 'silent' || fault?.kind === 'half_close'
  }

  function disturb(pair: SocketPair): void {
    const { near, far } = pair
    if (fault && fault.kind !== 'slow') disturbances++
    if (fault?.kind === 'reset') {
      pairs.delete(pair)
      near.resetAndDestroy()
      far.resetAndDestroy()
    }
    if (fault?.kind === 'half_close') near.end()
    if (isHeld()) for (const socket of [near, far]) socket.pause()
  }

  /** Chunks keep their order while the delay changes; an end passes after the last of them. */
  function relay(pair: SocketPair, one: Socket, other: Socket): void {
    let passed = Promise.resolve()
    const pass = (step: () => void) => {
      if (fault?.kind === 'slow') disturbances++
      const due = performance.now() + (fault?.kind === 'slow' ? fault.delayMs : 0)
      passed = passed.then(async () => {
        // A timer cuts off the fraction of its delay.
        for (let waitMs = due - performance.now(); waitMs > 0; waitMs = due - performance.now())
          await sleep(Math.ceil(waitMs))
        if (!other.destroyed && !lost.has(one)) step()
      })
    }
    one.on('error', () => {}) // An end is passed on by its close.
    one.on('data', chunk => pass(() => void other.write(chunk)))
    // Node emits the end of a socket although it is paused.
    one.on('end', () => {
      const passEnd = () => pass(() => void other.end())
      if (lost.has(one)) return
      if (isHeld()) heldEnds.push(passEnd)
      else passEnd()
    })
    one.once('close', hadError => {
      if (isHeld() || !pairs.has(pair)) return
      if (hadError) end(pair)
      else pass(() => end(pair))
    })
  }

  function end(pair: SocketPair): void {
    pairs.delete(pair)
    pair.near.destroy()
    pair.far.destroy()
  }
}
