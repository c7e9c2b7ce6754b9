import { rm, writeFile } from 'node:fs/promises'
import { tryFileLock } from '../../../src/dev/os/file-lock.ts'

/** Takes a lock again and again, as often as it is told to; ends with 1 where another holds it too. */

const [path, times] = process.argv.slice(2) as [string, string]
for (let taken = 0; taken < Number(times); ) {
  const lock = await tryFileLock(path)
  if (!('release' in lock)) continue
  // Nobody can make it twice: where it stands, another holder has made it.
  await writeFile(`${path}.held`, '', { flag: 'wx' })
  await rm(`${path}.held`)
  await lock.release()
  taken += 1
}
