// Adds a task to each project with source sets: it compiles them, and what the JMH plugin
// generates, and writes down where all of it is. Gradle 4 to 9: only what all of them have is used.

def generating = ['jmhRunBytecodeGenerator', 'jmhCompileGeneratedClasses']
def into = new File(System.getProperty('bench-audit.parts'))

gradle.projectsEvaluated {
    gradle.rootProject.allprojects.each { each ->
        def sets = each.findProperty('sourceSets')
        if (sets == null) {
            return
        }
        def generated = generating.collect { each.tasks.findByName(it) }.findAll { it != null }
        def file = new File(into, "${each.path.replace(':', '_')}.json")
        each.tasks.create('benchAuditParts') { task ->
            task.outputs.upToDateWhen { false }
            task.dependsOn(generated)
            sets.each {
                task.dependsOn(it.classesTaskName)
                task.inputs.files(it.runtimeClasspath)
            }
            task.doLast {
                def found = sets.collect { set ->
                    def classes = set.output.classesDirs.files + [set.output.resourcesDir]
                    if (set.name == 'jmh') {
                        classes = generated.collectMany { it.outputs.files.files } + classes
                    }
                    [
                        name   : set.name,
                        classes: classes.findAll { it != null }*.path,
                        path   : set.runtimeClasspath.files*.path,
                        sources: set.allJava.srcDirs*.path,
                    ]
                }
                into.mkdirs()
                file.text = groovy.json.JsonOutput.toJson(found)
            }
        }
    }
}
