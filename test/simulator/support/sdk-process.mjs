/** A process with nothing of ours but this file: it calls the official SDKs as its parent requests. */
import woovi from '@woovi/node-sdk'
import EfiPay from 'sdk-node-apis-efi'
import starkbank from 'starkbank'

const { efi, appId, stark } = JSON.parse(process.env.SDK_CREDENTIALS)
const sdks = {
  efi: efi && new EfiPay(efi),
  woovi: appId && woovi.createClient({ appId }),
  stark: starkbank,
}
if (stark) starkbank.user = new starkbank.Project(stark)

process.on('message', async ({ id, path, args }) => {
  try {
    const names = path.split('.')
    const method = names.pop()
    const owner = names.reduce((object, name) => object[name], sdks)
    const value = await readAll(await owner[method](...args))
    process.send({ id, value: value === undefined ? null : value })
  } catch (error) {
    process.send({ id, error: error instanceof Error ? `${error.name}: ${error.message}` : error })
  }
})
process.send({ ready: true })

/** Stark's lists are generators, which no message can have. */
async function readAll(value) {
  if (typeof value?.[Symbol.asyncIterator] !== 'function') return value
  const items = []
  for await (const item of value) items.push(item)
  return items
}
