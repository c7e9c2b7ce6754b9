import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Freezable = Awaited<ReturnType<typeof freezable>>

/** A way to a server: frozen, it takes connections and bytes and passes none on, like a host that stands still. */
export async function freezable(to: { host: string; port: number }) {
  const sockets = new Set<Socket>()
  let isFrozen = false

  const kept = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}) // One end tells the other by its end alone.
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
      one.pipe(other)
      kept(one)
    }
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))

  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      isFrozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw() {
      isFrozen = false
      for (const socket of sockets) socket.resume()
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
