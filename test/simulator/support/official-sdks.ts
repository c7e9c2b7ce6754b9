import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type SdkTarget = {
  caFile: string
  /** The loopback port for each fixed host name. */
  hosts: Record<string, number>
  efi?: { client_id: string; client_secret: string; certificate: string; key: string }
  appId?: string
  stark?: { environment: 'production' | 'sandbox'; id: string; privateKey: string }
}
// biome-ignore lint/suspicious/noExplicitAny: stories look at answers as they come, whatever their shape.
type SdkValue = any

/** Efí's, Woovi's and Stark's official SDKs, unchanged, in a process whose host names are mapped; `call('efi.pixSend', …)`. */
export async function startOfficialSdks({ caFile, hosts, efi, appId, stark }: SdkTarget) {
  const folder = mkdtempSync(join(tmpdir(), 'sdks-'))

  const child = fork(join(import.meta.dirname, 'sdk-process.mjs'), {
    execArgv: ['--require', join(import.meta.dirname, 'mapped-hosts.cjs')],
    env: {
      NODE_EXTRA_CA_CERTS: caFile,
      MAPPED_HOSTS: Object.entries(hosts)
        .map(([name, port]) => `${name}=${port}`)
        .join(','),
      SDK_CREDENTIALS: JSON.stringify({ efi: efi && writeEfiOptions(folder, efi), appId, stark }),
    },
  })
  await once(child, 'message')
  let calls = 0

  return {
    /** What the SDK answers, or what it throws. */
    async call(path: string, ...args: unknown[]): Promise<SdkValue> {
      calls += 1
      const id = calls
      const answered = new Promise<{ value?: SdkValue; error?: SdkValue }>((resolve, reject) => {
        const hear = (message: { id: number; value?: SdkValue; error?: SdkValue }) => {
          if (message.id !== id) return
          child.off('message', hear).off('exit', gone)
          resolve(message)
        }
        const gone = () => reject(new Error('the process of the SDKs is gone'))
        child.on('message', hear).once('exit', gone)
      })
      child.send({ id, path, args })
      const { value, error } = await answered
      if (error !== undefined) throw error
      return value
    },
    async close() {
      const exited = once(child, 'exit')
      child.disconnect()
      child.kill()
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function writeEfiOptions(
  folder: string,
  { certificate, key, ...credentials }: NonNullable<SdkTarget['efi']>,
) {
  const files = { certificate: join(folder, 'client.pem'), pemKey: join(folder, 'client.key') }
  writeFileSync(files.certificate, certificate)
  writeFileSync(files.pemKey, key)
  return { ...credentials, ...files, sandbox: false, validateMtls: false }
}
