/** How the documentation page looks: the colours and sizes of the web page, so that both are one console. */
export const STYLE = `
:root{color-scheme:light dark;--ground:#f4f6f5;--surface:#fff;--raised:#f8faf9;--line:#dde3e0;--strong:#8a9691;--text:#17201d;--muted:#56625d;--accent:#0b6b5d;--accent-soft:#e2f1ee;--on-accent:#fff;--slate:#4a5560;--slate-soft:#e9edf0;--blue:#1459a8;--blue-soft:#e2edfa;--green:#17693a;--green-soft:#e0f3e7;--red:#b0232a;--red-soft:#fce8e8;--amber:#8a4b00;--amber-soft:#fdefd6;--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
@media (prefers-color-scheme:dark){:root{--ground:#0e1312;--surface:#151b1a;--raised:#1a2120;--line:#27302e;--strong:#6f7d78;--text:#e3e9e7;--muted:#9aa7a2;--accent:#5fcab6;--accent-soft:#143430;--on-accent:#06201c;--slate:#b3bfca;--slate-soft:#242c33;--blue:#8fc1fa;--blue-soft:#172a40;--green:#7fd6a0;--green-soft:#15301f;--red:#ff9d9d;--red-soft:#3c1a1c;--amber:#f5bd6b;--amber-soft:#38280f}}
*{box-sizing:border-box}
html{background:var(--ground);color:var(--text);font:14px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",Arial,sans-serif;scroll-padding-top:12px}
body{margin:0;display:grid;grid-template-columns:260px minmax(0,1fr);min-height:100dvh}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
h1{margin:0;font-size:20px;letter-spacing:-.01em}h2{margin:28px 0 10px;font-size:16px}h4{margin:18px 0 6px;font-size:13px;color:var(--muted);font-weight:600}
p{margin:8px 0;max-width:76ch}
code,pre,textarea,.path{font-family:var(--mono);font-size:.93em}
p code,td code{padding:1px 5px;border-radius:4px;background:var(--slate-soft);color:var(--slate)}
aside{position:sticky;top:0;height:100dvh;overflow-y:auto;padding:14px 12px;border-right:1px solid var(--line);background:var(--surface)}
.brand{display:flex;align-items:center;gap:8px;padding:2px 8px 12px;color:var(--text);font-size:16px;font-weight:650}
.brand svg{width:24px;height:24px}.brand rect{fill:var(--accent)}.brand path{fill:none;stroke:var(--on-accent);stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
aside nav{margin-top:12px}
aside details{margin-bottom:2px}
aside summary{padding:5px 8px;border-radius:6px;font-weight:600;cursor:pointer}aside summary:hover{background:var(--raised)}
aside nav a{display:block;padding:3px 8px 3px 22px;border-radius:6px;color:var(--muted);font-size:13px;overflow-wrap:anywhere}aside nav a:hover,aside nav a[aria-current]{background:var(--raised);color:var(--text);text-decoration:none}
main{max-width:1040px;padding:20px 24px 60px;min-width:0}
input,textarea{width:100%;min-height:32px;padding:5px 10px;border:1px solid var(--strong);border-radius:6px;background:var(--surface);color:var(--text);font:inherit}
textarea{font-family:var(--mono);font-size:13px;resize:vertical}
label{display:grid;gap:3px;color:var(--muted);font-size:13px}
button{min-height:32px;padding:4px 14px;border:1px solid var(--strong);border-radius:6px;background:var(--surface);color:var(--text);font:inherit;font-weight:600;cursor:pointer}
button.main{border-color:var(--accent);background:var(--accent);color:var(--on-accent)}
.key{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:end;margin:14px 0 4px;padding:12px 16px;border:1px solid var(--line);border-radius:10px;background:var(--surface)}
.key label{flex:1 1 300px}.key p{flex:1 1 300px;margin:0;color:var(--muted);font-size:13px}
.tools{display:flex;flex-wrap:wrap;align-items:center;gap:8px 14px;margin-top:14px;color:var(--muted)}
.tools button{min-height:28px;padding:2px 10px;font-size:13px}
article{margin-bottom:6px;border:1px solid var(--line);border-radius:10px;background:var(--surface)}
article>details>summary{display:grid;grid-template-columns:66px minmax(0,max-content) minmax(0,1fr);gap:2px 12px;align-items:baseline;padding:9px 14px;cursor:pointer;list-style:none}
article>details>summary::-webkit-details-marker{display:none}
article>details>summary:hover{background:var(--raised);border-radius:10px}
article>details[open]>summary{border-bottom:1px solid var(--line);border-radius:10px 10px 0 0;background:var(--raised)}
.path{overflow-wrap:anywhere;font-weight:600}.about{overflow:hidden;color:var(--muted);text-overflow:ellipsis;white-space:nowrap}
details[open]>summary .about{white-space:normal}
.method{padding:1px 0;border-radius:4px;background:var(--slate-soft);color:var(--slate);font:600 11.5px/1.6 var(--mono);text-align:center}
.method.get{background:var(--blue-soft);color:var(--blue)}.method.post{background:var(--green-soft);color:var(--green)}.method.put,.method.patch{background:var(--amber-soft);color:var(--amber)}.method.delete{background:var(--red-soft);color:var(--red)}
.body{padding:8px 16px 16px}
.scope{display:inline-block;padding:1px 8px;border-radius:99px;background:var(--slate-soft);color:var(--slate);font-size:12.5px}
pre{margin:12px 0;overflow:auto;max-height:420px;padding:10px 12px;border-radius:6px;background:var(--raised);border:1px solid var(--line)}
pre:has(output:empty){display:none}
table{border-collapse:collapse;width:100%;font-size:13px}td{padding:5px 12px 5px 0;border-top:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}tr:first-child td{border-top:0}td:first-child{width:24%}td:nth-child(2):not(:last-child){width:18%}
.try{margin-top:14px;border:1px solid var(--line);border-radius:8px}.try>summary{padding:7px 12px;font-weight:600;cursor:pointer;color:var(--accent)}
form{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,220px),1fr));gap:10px;padding:4px 12px 12px}
form .wide,form pre{grid-column:1/-1;min-width:0}form button{justify-self:start}
[hidden]{display:none!important}
@media (max-width:819px){body{display:block}aside{position:static;height:auto;border-right:0;border-bottom:1px solid var(--line)}aside nav{display:flex;flex-wrap:wrap;gap:2px 4px;margin-top:8px}aside details{margin:0}aside details[open]{flex:1 1 100%}main{padding:16px 14px 40px}article>details>summary{grid-template-columns:66px minmax(0,1fr)}.about{grid-column:1/-1;white-space:normal}td{display:block;padding:2px 0;border-top:0}td:first-child{width:auto;padding-top:8px}table tr{display:block;border-top:1px solid var(--line);padding-bottom:6px}}
`
