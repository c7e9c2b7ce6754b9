import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { createTemporaryFolder } from './servers.ts'

/** `@20minutes/s3rver` has no types of its own. */
type S3Server = { run(): Promise<AddressInfo>; close(): Promise<void> }
type S3Options = {
  address: string
  port: number
  silent: boolean
  directory: string
  vhostBuckets: boolean
  configureBuckets: { name: string }[]
}
const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as new (options: S3Options) => S3Server

export const BUCKET = 'attachments'

/** A server that speaks S3, verifies signatures and keeps a bucket; and the environment that configures it. */
export async function startS3() {
  const folder = await createTemporaryFolder()
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: folder.path,
    vhostBuckets: false,
    configureBuckets: [{ name: BUCKET }],
  })
  const { port } = await server.run()
  const endpoint = `http://127.0.0.1:${port}`
  return {
    endpoint,
    environment: {
      TRILHO_STORAGE: 's3',
      TRILHO_S3_BUCKET: BUCKET,
      TRILHO_S3_ENDPOINT: endpoint,
      TRILHO_S3_ACCESS_KEY_ID: 'S3RVER',
      TRILHO_S3_SECRET_ACCESS_KEY: 'S3RVER',
    },
    async stop() {
      await server.close()
      await folder.remove()
    },
  }
}
