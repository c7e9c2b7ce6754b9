/**
 * Loaded before an official SDK: connections to the fixed host names of MAPPED_HOSTS (`name=port,…`) go to that port of
 * loopback. Only the address changes: the name is still the one the certificate must be for.
 */
const tls = require('node:tls')

const ports = new Map((process.env.MAPPED_HOSTS ?? '').split(',').map(pair => pair.split('=')))
const connect = tls.connect

tls.connect = (...args) => {
  const [options] = args
  const port = typeof options === 'object' ? ports.get(options.servername || options.host) : undefined
  if (port === undefined) return connect(...args)
  const mapped = { ...options, host: '127.0.0.1', port: Number(port) }
  return connect(mapped, ...args.slice(1))
}
