import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'

export type FreezableProxy = Awaited<ReturnType<typeof startFreezableProxy>>

/**
 * A proxy to a server: frozen, it accepts connections and bytes and passes none on, like a host that stands still. It
 * may also delay each message, or freeze after a number of messages.
 */
export async function startFreezableProxy(to: { host: string; port: number }) {
  const sockets = new Set<Socket>()
  let isFrozen = false
  let delayMs = 0
  let passing = Number.POSITIVE_INFINITY

  /** Everything that is sent to the server. */
  const asked = () =>
    new Transform({
      transform(message, _, done) {
        if (passing-- <= 0) freeze()
        if (isFrozen) return void thawed.push(() => done(null, message))
        if (delayMs === 0) return done(null, message)
        setTimeout(() => this.push(message), delayMs) // Like a slow network: what is sent together arrives together.
        done()
      },
      flush: done => void setTimeout(done, delayMs),
    })
  const thawed: (() => void)[] = []
  function freeze() {
    isFrozen = true
    for (const socket of sockets) socket.pause()
  }

  const kept = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}) // One side's end closes the other side.
    if (isFrozen) socket.pause()
    return socket
  }
  const server = createServer({ pauseOnConnect: true }, near => {
    const far = connect(to)
    const ends = [near, far] as const
    for (const [one, other] of [ends, ends.toReversed()] as [Socket, Socket][]) {
      one.once('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      if (one === near) one.pipe(asked()).pipe(other)
      else one.pipe(other)
      kept(one)
    }
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))

  return {
    port: (server.address() as AddressInfo).port,
    freeze,
    /** Freezes after so many more messages. */
    freezeAfter(messages: number) {
      passing = messages
    },
    /** From now on each message is delayed so much. */
    delay(ms: number) {
      delayMs = ms
    },
    thaw() {
      isFrozen = false
      passing = Number.POSITIVE_INFINITY
      for (const socket of sockets) socket.resume()
      for (const pass of thawed.splice(0)) pass()
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
