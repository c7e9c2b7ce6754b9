import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { chmod, rm } from 'node:fs/promises'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { WAIT_LIMITS } from '../os/waits.ts'

/** An official archive of Temporal's, and the one file in it that counts. */
export type TemporalArchive = { url: string; file: string }

/** The service the SDKs ask too (sdk-core, ephemeral_server): it names an archive, which lies on another host. */
const DOWNLOAD_SERVICE_URL = 'https://temporal.download'

/** The archive, if both the service and the host it names answer within 3 seconds; else undefined. */
export async function findReachableArchive(
  artifact: 'cli' | 'temporal-test-server',
  version: string,
): Promise<TemporalArchive | undefined> {
  const quickly = AbortSignal.timeout(WAIT_LIMITS.reachableMs)
  const system = { platform: platform(), arch: arch() === 'x64' ? 'amd64' : arch(), format: 'tar.gz' }
  try {
    const answer = await fetch(
      `${DOWNLOAD_SERVICE_URL}/${artifact}/${version}?${new URLSearchParams(system)}`,
      { signal: quickly },
    )
    if (!answer.ok) return undefined
    const { archiveUrl, fileToExtract } = (await answer.json()) as Record<string, string>
    if (!archiveUrl || !fileToExtract) return undefined
    const head = await fetch(archiveUrl, { method: 'HEAD', signal: quickly })
    return head.ok ? { url: archiveUrl, file: fileToExtract } : undefined
  } catch {
    return undefined
  }
}

/** Downloads the archive and leaves its file, executable, in the folder; returns its path. */
export async function downloadArchive(
  archive: TemporalArchive,
  folder: string,
  abort?: AbortSignal,
): Promise<string> {
  const limit = AbortSignal.timeout(WAIT_LIMITS.downloadMs)
  const answer = await fetch(archive.url, { signal: abort ? AbortSignal.any([limit, abort]) : limit })
  if (!answer.ok || !answer.body) throw new Error(`${archive.url} answered ${answer.status}.`)
  const packed = join(folder, 'archive.tar.gz')
  await pipeline(Readable.fromWeb(answer.body), createWriteStream(packed))
  await promisify(execFile)('tar', ['-xzf', packed, '-C', folder, archive.file], { signal: abort })
  await rm(packed)
  const file = join(folder, archive.file)
  await chmod(file, 0o755)
  return file
}
