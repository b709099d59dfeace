#!/usr/bin/env python3
"""npm and node under the exec profile and under that of npm: the tree is the one that a plain install leaves.

Needs the npm registry, as npm is configured on this machine.
"""
import json
import os

import work

MANIFEST = json.dumps({"name": "q", "version": "1.0.0", "private": True}) + "\n"
#: about 300 packages, among them one that ships a program and starts it when it is installed; fewer where the same is
#: done a second time as another user
MANY, LEAST = "express@4 webpack@5 webpack-cli@5 eslint@8 jest@29 esbuild@0.25", 300
if os.environ.get("PMG_TEST_SECOND"):
    MANY, LEAST = "webpack@5 webpack-cli@5 esbuild@0.25", 80
QUIET = "--no-audit --no-fund --no-update-notifier --loglevel=error"

#: What a hostile install script would try; each line says what became of it.
HOSTILE = """\
const fs = require('fs'), path = require('path'), os = require('os');
const home = os.homedir(), top = process.env.INIT_CWD, said = [];
const attempt = (name, act) => { try { said.push(`${name}: LEAK ${act()}`); } catch (e) { said.push(`${name}: ${e.code}`); } };
attempt('ssh', () => fs.readFileSync(path.join(home, '.ssh/id'), 'utf8'));
attempt('env', () => fs.readFileSync(path.join(top, '.env'), 'utf8'));
attempt('ssh listing', () => fs.readdirSync(path.join(home, '.ssh')));
attempt('rename', () => fs.renameSync(path.join(top, '.env'), path.join(top, 'node_modules/x')));
attempt('link', () => fs.linkSync(path.join(top, '.env'), path.join(top, 'node_modules/y')));
attempt('start-up file', () => fs.appendFileSync(path.join(home, '.bashrc'), 'evil'));
attempt('source', () => fs.writeFileSync(path.join(top, 'index.js'), 'evil'));
attempt('hook', () => fs.writeFileSync(path.join(top, '.git/hooks/pre-commit'), 'evil'));
said.push(`variables: ${process.env.GITHUB_TOKEN} ${process.env.NPM_TOKEN ? 'own' : ''}`);
fs.writeFileSync('said.txt', said.join('\\n') + '\\n');
"""

NODE = """\
const fs = require('fs'), cp = require('child_process'), net = require('net'), http = require('http'), { Worker } = require('worker_threads');
(async () => {
  fs.mkdirSync('a/b', { recursive: true }); fs.writeFileSync('a/b/f', '1'); fs.cpSync('a', 'c', { recursive: true });
  fs.symlinkSync('a', 'l'); console.log(fs.realpathSync('l') === fs.realpathSync('a'), fs.readdirSync('c', { recursive: true }).sort());
  const seen = new Promise(done => { const w = fs.watch('a', (kind, name) => { w.close(); done(name); }); }); fs.writeFileSync('a/new', ''); console.log(await seen);
  fs.utimesSync('a/b/f', 1, 2); console.log(fs.statSync('a/b/f').mtimeMs); fs.rmSync('c', { recursive: true }); fs.truncateSync('a/b/f', 0);
  const child = cp.fork('child.js'); console.log(await new Promise(done => child.once('message', done))); child.kill();
  console.log(cp.execSync('echo out | cat').toString().trim(), cp.spawnSync('node', ['-p', '1+1']).stdout.toString().trim());
  console.log(await new Promise(done => new Worker("require('worker_threads').parentPort.postMessage(require('fs').existsSync('a'))", { eval: true }).once('message', done)));
  for (const where of [{ path: './sock' }, { port: 0, host: '127.0.0.1' }]) {
    const server = net.createServer(s => s.end('hello')).listen(where); await new Promise(done => server.once('listening', done));
    const to = where.path ? where : server.address(); let text = '';
    for await (const part of net.connect(where.path ? where : { port: to.port, host: '127.0.0.1' })) text += part; console.log(text); server.close();
  }
  await Promise.all([...Array(300).keys()].map(i => fs.promises.writeFile(`a/p${i}`, '' + i))); console.log((await fs.promises.readdir('a')).length);
})();
"""


class Npm(work.Work):
    limit = 280

    def setUp(self):
        super().setUp()
        self.need("npm", "node")
        self.write("package.json", MANIFEST)
        self.env["npm_config_update_notifier"] = "false"
        # Where the headers of Node.js are, if the machine has them.
        if os.path.exists("/usr/include/node/node.h"):
            self.env.setdefault("npm_config_nodedir", "/usr")

    def again(self):
        old = self.afresh()
        self.write("package.json", MANIFEST)
        return old


class Install(Npm):
    def test_about_300_packages_byte_for_byte(self):
        self.good(self.plain(f"npm install {QUIET} {MANY}"))
        expected = work.fingerprint(self.project)
        self.again()
        self.good(self.inside(f"npm install {QUIET} --prefer-offline {MANY}"))
        self.assertGreaterEqual(len(os.listdir(self.project / "node_modules")), LEAST)
        self.assert_tree(expected)
        # The installed programs work, confined too.
        self.write("src/index.js", "console.log(require('./part'))\n")
        self.write("src/part.js", "module.exports = 42\n")
        self.write("part.test.js", "test('part', () => expect(require('./src/part')).toBe(42))\n")
        done = self.inside("npx webpack --mode production >/dev/null && node dist/main.js && "
                           "npx esbuild src/index.js --bundle --platform=node | node && npx esbuild --version")
        self.assertEqual(self.good(done).splitlines()[:2], ["42", "42"])
        if "jest" in MANY:
            self.assertRegex(self.good(self.inside("npx jest --silent 2>&1")), r"(?m)^Tests: +1 passed")

    def test_native_code(self):
        """bufferutil, compiled by node-gyp."""
        if "npm_config_nodedir" not in self.env:
            self.skipTest("no headers of Node.js on this machine (/usr/include/node), and none can be downloaded")
        self.need("make", "g++")
        install = f"npm install {QUIET} --build-from-source --foreground-scripts bufferutil@4"
        self.good(self.plain(install))
        expected = work.fingerprint(self.project)
        self.again()
        self.assertIn("SOLINK_MODULE(target) Release/obj.target/bufferutil.node", self.good(self.inside(install)))
        self.assert_tree(expected)
        done = self.inside("node -p 'const b = require(\"bufferutil\"), x = Buffer.from([1,2]); b.unmask(x, Buffer.from([1,1,1,1])); x[1]'")
        self.assertEqual(self.good(done), "3\n")
        self.assertTrue((self.project / "node_modules/bufferutil/build/Release/bufferutil.node").exists())

    def test_ci_update_and_remove(self):
        self.good(self.plain(f"npm install {QUIET} semver@6.3.0 is-number@7"))
        done = self.inside(f"npm ci {QUIET} && npm install {QUIET} semver@6.3.1 && npm uninstall {QUIET} is-number && npm ls --depth=0 && npm run-script 2>&1; "
                           "npm pack --silent; npm exec --offline -- semver 1.2.3; ls node_modules")
        self.assertEqual(self.good(done).splitlines()[-2:], ["1.2.3", "semver"], done.stdout)


class NpmProfile(Npm):
    def test_hostile_install_script(self):
        """The install succeeds, the package's script reads and writes nothing that is not its business."""
        self.secret(self.home / ".ssh/id")
        self.secret(self.project / ".env")
        (self.home / ".bashrc").write_text("# mine\n")
        self.write("index.js", "// mine\n")
        self.prepare("mkdir -p .git/hooks")
        self.write("../pkg/package.json", json.dumps({"name": "p", "version": "1.0.0", "scripts": {"postinstall": "node hostile.js"}}))
        self.write("../pkg/hostile.js", HOSTILE)
        self.prepare(f"cd ../pkg && npm pack --silent >/dev/null && mv p-1.0.0.tgz {self.top}")
        done = self.run_command([self.pmg, "--sandbox", "npm", "install", *QUIET.split(), str(self.top / "p-1.0.0.tgz"), "is-number@7"],
                                env={"GITHUB_TOKEN": work.SECRET, "NPM_TOKEN": work.SECRET})
        self.assertNotIn(work.SECRET, self.good(done))
        said = dict(line.split(": ", 1) for line in (self.project / "node_modules/p/said.txt").read_text().splitlines())
        self.assertEqual(said.pop("variables"), "undefined own")
        self.assertEqual(set(said.values()) - {"EACCES", "EPERM"}, set(), said)
        self.assertEqual(len(said), 8)
        self.assertTrue((self.project / "node_modules/is-number/index.js").exists())
        self.assertEqual((self.home / ".bashrc").read_text() + (self.project / "index.js").read_text(), "# mine\n// mine\n")
        self.assertEqual(os.listdir(self.project / ".git/hooks"), [])
        self.assertIn(work.SECRET, (self.project / ".env").read_text())

    def test_install_is_the_plain_one(self):
        packages = "express@4 esbuild@0.25"
        self.good(self.plain(f"npm install {QUIET} {packages}"))
        expected = work.fingerprint(self.project)
        self.again()
        self.good(self.run_command([self.pmg, "--sandbox", "npm", "install", *QUIET.split(), *packages.split()]))
        self.assert_tree(expected)

    def test_workspaces(self):
        self.write("package.json", json.dumps({"name": "w", "private": True, "workspaces": ["apps/*", "packages/*"]}))
        self.write("apps/web/package.json", json.dumps({"name": "web", "version": "1.0.0", "dependencies": {"ui": "*", "semver": "6"}}))
        self.write("packages/ui/package.json", json.dumps({"name": "ui", "version": "1.0.0", "dependencies": {"semver": "7"}}))
        self.prepare("cp -a . ../src")
        self.good(self.plain(f"npm install {QUIET}"))
        expected = work.fingerprint(self.project)
        self.afresh()
        self.prepare("cp -a ../src/. .")
        self.good(self.run_command([self.pmg, "--sandbox", "npm", "install", *QUIET.split()]))
        self.assert_tree(expected)


class Node(Npm):
    def test_runtime(self):
        self.assertIn("hello\nhello\n", self.same("node n.js", setup=f"rm -f package.json; cat >n.js <<'E'\n{NODE}E\n"
                                                                     "echo \"process.send('from the child'); setInterval(() => {}, 1000)\" >child.js"))


if __name__ == "__main__":
    work.main()
