import { rm, writeFile } from 'node:fs/promises'
import { tryFileLock } from '../../../src/dev/os/file-lock.ts'

/** Takes and releases a lock a given number of times; exits with 1 where another process holds it too. */

const [path, times] = process.argv.slice(2) as [string, string]
for (let acquired = 0; acquired < Number(times); ) {
  const lock = await tryFileLock(path)
  if (!('release' in lock)) continue
  // It can only be created once: where it exists, another holder has created it.
  await writeFile(`${path}.held`, '', { flag: 'wx' })
  await rm(`${path}.held`)
  await lock.release()
  acquired += 1
}
