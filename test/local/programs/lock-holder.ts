import { rm, writeFile } from 'node:fs/promises'
import { tryFileLock } from '../../../packages/dev/os/file-lock.ts'

/**
 * Acquires and releases a lock a given number of times, or acquires it once and keeps it; exits with 1 where another
 * process holds it too.
 */

const [path, times] = process.argv.slice(2) as [string, string]
for (let acquired = 0; acquired < Number(times); ) {
  const lock = tryFileLock(path)
  if (!lock) continue
  // It can only be created once: where it exists, another holder has created it.
  await writeFile(`${path}.held`, '', { flag: 'wx' })
  await rm(`${path}.held`)
  lock.release()
  acquired += 1
}
if (times === 'keep') {
  tryFileLock(path)
  globalThis.gc!() // A lock whose object is not kept is held all the same.
  process.stdout.write('acquired\n')
  setInterval(() => {}, 60_000)
}
