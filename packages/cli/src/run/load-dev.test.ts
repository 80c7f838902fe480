import { expect, test } from 'vitest'
import { loadDev } from './load-dev.ts'

const notFound = (name: string) =>
  Object.assign(new Error(`Cannot find package '${name}' imported from /app/load-dev.js`), {
    code: 'ERR_MODULE_NOT_FOUND',
  })

test('an installation without the package is told how to get it', async () => {
  await expect(loadDev(() => Promise.reject(notFound('@drover/dev')))).rejects.toThrow(
    'drover dev needs the package @drover/dev: npm install --save-dev @drover/dev',
  )
})

test('a package that lacks one of its own is not called missing', async () => {
  await expect(loadDev(() => Promise.reject(notFound('pg')))).rejects.toThrow("Cannot find package 'pg'")
})
