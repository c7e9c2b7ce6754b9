import net from 'node:net'

/**
 * Preloaded by `--import`: connections of this process to the first port of each pair in REDIRECTED_PORTS
 * (`from:to,from:to`) go to the second one on the same host, as by a rule of its machine's firewall.
 */
const ports = new Map(process.env.REDIRECTED_PORTS.split(',').map(pair => pair.split(':').map(Number)))
const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function redirected(...parameters) {
  for (const options of parameters.flat()) {
    const port = ports.get(Number(Object(options).port))
    if (port !== undefined) options.port = port
  }
  return connect.apply(this, parameters)
}
