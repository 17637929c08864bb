// Compares the commits of a build with benchctl ci: docs/ci.md.
//
// As vars/benchd.groovy of a shared library, this is a step: benchd(['--build', 'make', '--', './bench']).
// Call it in a checkout with the whole history. An undecided build is unstable.
def call(List<String> words) {
    def quoted = (['benchctl', 'ci', '--fail-on', 'undecided', '--results', 'benchd-ci'] + words)
        .collect { "'" + it.toString().replace("'", "'\\''") + "'" }.join(' ')
    // What an earlier build left must not be taken for the result of this one.
    sh 'rm -f benchd-ci/junit.xml benchd-ci/verdict.md'
    def code = sh(returnStatus: true, script: quoted)
    junit testResults: 'benchd-ci/junit.xml', allowEmptyResults: true, skipMarkingBuildUnstable: true
    archiveArtifacts artifacts: 'benchd-ci/*', allowEmptyArchive: true
    if (code == 3) {
        unstable('undecided')
    } else if (code != 0) {
        error("benchctl ci: exit code ${code}")
    }
}
