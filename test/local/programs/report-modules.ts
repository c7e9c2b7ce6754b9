import { registerHooks } from 'node:module'

/** Preloaded into a program (`node --import`): writes the packages and files that it loads to stderr, as one JSON line at its end. */

const packages = new Set<string>()
const files = new Set<string>()
registerHooks({
  load(url, context, next) {
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
    if (name) packages.add(name)
    else if (url.startsWith('file:')) files.add(url.replace(/.*\/(src|packages)\//, '$1/'))
    return next(url, context)
  },
})
process.on('exit', () => {
  process.stderr.write(`\n${JSON.stringify({ packages: [...packages].sort(), files: [...files].sort() })}\n`)
})
