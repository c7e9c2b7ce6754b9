// The payment method in the checkout of blocks. It has no fields: the code is on the page after the order.
;(() => {
  const { registerPaymentMethod } = window.wc.wcBlocksRegistry
  const { getSetting } = window.wc.wcSettings
  const { createElement } = window.wp.element
  const { decodeEntities } = window.wp.htmlEntities

  const settings = getSetting('trilho_pix_data', {})
  const title = decodeEntities(settings.title || 'PIX')
  const content = createElement('p', null, decodeEntities(settings.description || ''))

  registerPaymentMethod({
    name: 'trilho_pix',
    label: createElement('span', null, title),
    ariaLabel: title,
    content,
    edit: content,
    canMakePayment: () => true,
    supports: { features: settings.supports || ['products'] },
  })
})()
