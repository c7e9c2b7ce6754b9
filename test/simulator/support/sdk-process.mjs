/** A process with nothing of ours but this file: it calls the official SDKs as its parent requests. */
import woovi from '@woovi/node-sdk'
import EfiPay from 'sdk-node-apis-efi'

const { efi, appId } = JSON.parse(process.env.SDK_CREDENTIALS)
const sdks = { efi: new EfiPay(efi), woovi: woovi.createClient({ appId }) }

process.on('message', async ({ id, path, args }) => {
  try {
    const names = path.split('.')
    const method = names.pop()
    const owner = names.reduce((object, name) => object[name], sdks)
    const value = await owner[method](...args)
    process.send({ id, value: value === undefined ? null : value })
  } catch (error) {
    process.send({ id, error: error instanceof Error ? `${error.name}: ${error.message}` : error })
  }
})
process.send({ ready: true })
