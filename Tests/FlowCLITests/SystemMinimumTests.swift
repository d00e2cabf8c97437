import Foundation
import TestSupport
import Testing

/// Before anything runs, flowrun reports that the system has too few resources.
struct `A system with too few resources` {
  private let tool: CommandLineTool

  init() throws {
    tool = try CommandLineTool()
    try tool.write("name: w\nsteps: { a: { run: sleep 20 } }\n", to: "w.yaml")
  }

  #if os(Linux)
    @Test(.timeLimit(.minutes(10))) func `flowrun refuses to run with too little address space`() throws {
      defer { tool.remove() }
      // The smallest limit that lets the system's loader start the program. Below it, loading fails or crashes.
      let (status, output) = try Shell.run(
        """
        cd '\(tool.folder.path)' || exit 9
        for limit in $(seq 50000 10000 900000); do
          output=$( (ulimit -v $limit; exec timeout 10 '\(FlowrunProcess.path)' w.yaml) 2>&1 )
          status=$?
          [ $status = 127 ] || [ $status = 139 ] || break
        done
        echo "$output"
        exit $status
        """)
      #expect(status == 1 && output.contains("the address space is limited to"), "\(output)")
      #expect(output.contains("flowrun needs 128 MiB: ulimit -v ") && !output.contains("started"), "\(output)")
      let limit = try #require(output.split(separator: " ").last).filter(\.isNumber)
      let enough = try Shell.run(
        "cd '\(tool.folder.path)' && sed -i 's/sleep 20/echo ok/' w.yaml && ulimit -v \((Int(limit) ?? 0) + 4096) "
          + "&& '\(FlowrunProcess.path)' w.yaml --no-history")
      #expect(enough.status == 0, "\(enough)")
    }

    @Test(.enabled(if: getuid() == 0), .timeLimit(.minutes(10)))
    func `flowrun refuses to run if the process limit allows too few threads`() throws {
      defer { tool.remove() }
      let (status, output) = try Shell.run(
        """
        chmod 755 '\(tool.folder.path)' && cd '\(tool.folder.path)' && timeout 20 prlimit --nproc=5:5 \
          setpriv --regid 61871 --reuid 61871 --clear-groups '\(FlowrunProcess.path)' w.yaml --no-history 2>&1
        """)
      #expect(status == 1 && output.contains("flowrun needs 12: raise ulimit -u, which is 5"), "\(output)")
    }

    /// In this case, Swift's list of arguments is empty: Swift looks for the arguments next to the environment, which
    /// has moved.
    @Test(.timeLimit(.minutes(10)))
    func `a preloaded library that sets a variable does not change the arguments`() throws {
      defer { tool.remove() }
      try tool.write(
        """
        #include <stdlib.h>
        __attribute__((constructor)) static void begin(void) { setenv("SET_AT_THE_START", "1", 1); }

        """, to: "begin.c")
      try tool.write("name: w\nsteps: { a: { run: 'echo \"set: $SET_AT_THE_START\"' } }\n", to: "w.yaml")
      let folder = tool.folder.path
      let built = try Shell.run("cd '\(folder)' && clang -shared -fPIC -o begin.so begin.c")
      #expect(built.status == 0, "\(built)")
      let run = try FlowrunProcess.run(
        ["w.yaml", "--no-history"], in: folder, environment: ["LD_PRELOAD": folder + "/begin.so"])
      #expect(run.exitCode == 0 && run.output.contains("a: set: 1"), "\(run)")
    }
  #endif
}
