import type { Readable } from 'node:stream'
import { ZipFile } from 'yazl'

/** A file of an archive, opened once those before it are written. */
export type ZipEntry = { name: string; open(): Promise<Readable> }

/** The first day that a ZIP can name: with one time for all, equal files give equal bytes. */
const MODIFIED_AT = new Date(1980, 0, 1)

/**
 * Opens a ZIP archive, written as its reader takes it, so that no file is in memory as a whole. A file that fails ends the archive in an
 * error; a reader that leaves closes the file that it has not read.
 */
export function openZipFile(entries: ZipEntry[]): Readable {
  const archive = new ZipFile()
  const output = archive.outputStream as Readable
  const fail = (error: Error) => output.destroy(error)
  archive.on('error', fail)
  for (const { name, open } of entries)
    archive.addReadStreamLazy(name, { mtime: MODIFIED_AT, forceDosTimestamp: true }, addStream => {
      open().then(stream => {
        stream.once('error', fail)
        output.once('close', () => stream.destroy())
        addStream(null, stream)
      }, fail)
    })
  archive.end()
  return output
}
