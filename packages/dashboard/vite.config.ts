/** Builds the page into `dist`: hashed assets, nothing inline, so that a strict content policy can serve it. */
import { defineConfig } from 'vite'

export default defineConfig({
  // The client from its sources: the page is built without building the other packages first.
  resolve: { conditions: ['drover-source', 'module', 'browser', 'production'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
})
