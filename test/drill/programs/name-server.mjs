import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'

/** Preloaded by `--import`: every resolver uses the name server in DRILL_NAME_SERVER, and no other. */
const server = process.env.DRILL_NAME_SERVER
dns.Resolver = class extends dns.Resolver {
  constructor(options) {
    super(options)
    this.setServers([server])
  }
}
syncBuiltinESMExports()
